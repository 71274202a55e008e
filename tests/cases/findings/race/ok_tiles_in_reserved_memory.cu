// launch: sums --grid 2 --block 256 --profile H200 --arg int32[512]=iota --arg int32[512]=zeros
// expect: clean
// From sm_80 on the tiles meet in shared memory that is not the kernel's.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void sums(const int* in, int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<64>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  const int sum = cg::reduce(tile, v, cg::plus<int>());
  tile.sync();
  out[i] = sum + tile.shfl(v, 37) + tile.any(v == 5);
}
