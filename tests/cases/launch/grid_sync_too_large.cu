// A T4 has 40 multiprocessors for 1024 threads each.
#include <cooperative_groups.h>

extern "C" __global__ void wait(int* a) {
  cooperative_groups::this_grid().sync();
  a[0] = 1;
}
// launch: wait --grid 41 --block 1024 --cooperative --arg int32[1]=0
// status: cudaErrorCooperativeLaunchTooLarge
// says: holds 40 (1 on each of 40 multiprocessors)
