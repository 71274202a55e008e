// All threads of a block read the same element; that of the last block is none.
extern "C" __global__ void spread(const int* a, int* out) {
  out[blockIdx.x * 32 + threadIdx.x] = a[blockIdx.x];
}
// launch: spread --grid 5 --block 32 --arg int32[4]=7,… --arg int32[160]=0,…
// status: cudaErrorIllegalAddress
// says: Thread (0,0,0) of block (4,0,0)
