// launch: reverse --grid 2 --block 96 --arg float32[192]=iota --arg float32[192]=zeros
// block.sync() is a barrier, and waits for no copy.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__global__ void reverse(const float* in, float* out) {
  __shared__ float tile[96];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + blockIdx.x * 96, sizeof tile);  // expect: race shared cooperative_groups::wait(group)
  block.sync();
  out[blockIdx.x * 96 + threadIdx.x] = tile[95 - threadIdx.x];
}
