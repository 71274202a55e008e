// grid.sync(): every thread reads what a thread of another block wrote before.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void turn(int* a) {
  const auto grid = cg::this_grid();
  const unsigned i = grid.thread_rank(), n = grid.size();
  for (int round = 0; round < 2; ++round) {
    const int next = a[(i + 3) % n];
    grid.sync();
    a[i] = next;
    grid.sync();
  }
}
// launch: turn --grid 4 --block 2 --cooperative --arg int32[8]=iota
// expect: arg 0 = 6 7 0 1 2 3 4 5
