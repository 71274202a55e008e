// launch: sums --grid 2 --block 256 --arg int32[512]=iota --arg int32[512]=zeros
// expect: clean
// In the toolkit's headers all lanes of a warp write the same value.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void sums(const int* in, int* out) {
  __shared__ cg::block_tile_memory<256> scratch;
  const auto block = cg::this_thread_block(scratch);
  const auto tile = cg::tiled_partition<64>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  const int sum = cg::reduce(tile, v, cg::plus<int>());
  tile.sync();
  out[i] = sum + tile.shfl(v, 37) + tile.any(v == 5);
}
