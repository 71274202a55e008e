// Cooperative groups: blocks, tiles, coalesced threads, reductions, scans.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__device__ int last_of(cg::thread_group group, int* room, int value) {
  room[group.thread_rank()] = value;
  group.sync();
  const int result = room[group.size() - 1];
  group.sync();
  return result;
}
extern "C" __global__ void groups(int* a) {
  __shared__ int room[64];
  const auto block = cg::this_thread_block();
  const int t = block.thread_rank();
  int result = last_of(block, room, t);  // 63
  const auto warp = cg::tiled_partition<32>(block);
  const auto four = cg::tiled_partition<4>(warp);
  result += 100 * cg::reduce(four, 1, cg::plus<int>());                        // 4
  result += 1000 * (cg::reduce(warp, t, cg::greater<int>()) == (t | 31));      // 1
  result += 10000 * (warp.meta_group_rank() == (unsigned)t / 32 && four.meta_group_size() == 8);
  result += 100000 * (cg::inclusive_scan(warp, 1) == t % 32 + 1 && cg::exclusive_scan(warp, 1) == t % 32);
  if (t % 3 == 0) {
    const auto some = cg::coalesced_threads();
    const int sum = cg::reduce(some, t, cg::plus<int>());
    const int first = some.shfl(t, 0);
    result += 1000000 * (first == (t < 32 ? 0 : 33) && sum == (t < 32 ? 165 : 528));
    result += 10000000 * (some.size() == 11);
  }
  const auto wide = cg::tiled_partition<64>(block);
  result += 100000000 * (cg::reduce(wide, t, cg::plus<int>()) == 2016 && wide.shfl(t, 40) == 40);
  a[t] = result - (warp.shfl_down(t, 1) != (t % 32 == 31 ? t : t + 1)) - (warp.ballot(t % 32 < 2) != 3);
}
// launch: groups --grid 1 --block 64 --arg int32[64]=0
// expect: arg 0 = 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463 100111463 100111463 111111463
// profile: H200
