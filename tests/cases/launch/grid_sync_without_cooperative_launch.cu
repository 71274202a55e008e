#include <cooperative_groups.h>

extern "C" __global__ void wait(int* a) {
  cooperative_groups::this_grid().sync();
  a[0] = 1;
}
// launch: wait --grid 2 --block 32 --arg int32[1]=0
// status: cudaErrorLaunchFailure
// says: which takes a cooperative launch
