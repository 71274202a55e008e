// launch: reverse --grid 1 --block 64 --arg float32[96]=iota --arg float32[64]=zeros
// expect: clean
// Each warp copies 45 elements of its own: in the second round several of its lanes copy the last one.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__global__ void reverse(const float* in, float* out) {
  __shared__ float tile[2][48];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const unsigned w = warp.meta_group_rank();
  cg::memcpy_async(warp, tile[w], in + 48 * w, 45 * sizeof(float));
  cg::wait(warp);
  out[threadIdx.x] = tile[w][44 - warp.thread_rank()];
}
