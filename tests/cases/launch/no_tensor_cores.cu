// What the virtual GPU lacks is refused by name, with the line of the learner's own file.
#include <mma.h>

extern "C" __global__ void product(float* out) {
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
  nvcuda::wmma::fill_fragment(sum, 0.0f);
  nvcuda::wmma::store_matrix_sync(out, sum, 16, nvcuda::wmma::mem_row_major);
}
// launch: product --grid 1 --block 32 --arg float32[256]=0
// status: cudaErrorInvalidPtx
// says: (source line 7): the virtual GPU has no instruction 'wmma.store.d.sync.aligned.row.m16n16k16.global.f32': it has no tensor cores.
