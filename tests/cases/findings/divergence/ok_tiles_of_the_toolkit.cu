// launch: sums --grid 2 --block 256 --arg int32[512]=iota --arg int32[512]=zeros
// expect: clean
// A tile of two warps meets in loops of one lane: the toolkit's affair.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void sums(const int* in, int* out) {
  __shared__ cg::block_tile_memory<256> scratch;
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block(scratch));
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile.sync();
  out[i] = tile.shfl(in[i], 37);
}
