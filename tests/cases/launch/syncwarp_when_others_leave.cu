// Lanes wait for all at two different lines; those that are still missing leave. Then all that are left have met.
extern "C" __global__ void meet(volatile int* a) {
  const int lane = threadIdx.x;
  if (lane < 10) {
    a[lane] = lane;
    __syncwarp();
    a[lane + 32] = a[lane + 10];
  } else if (lane < 20) {
    a[lane] = lane;
    __syncwarp();
    a[lane + 32] = a[lane - 10];
  } else {
    for (int n = 0; n < 100; ++n) a[lane] = n;
    return;
  }
  a[lane + 64] = 1;
}
// launch: meet --grid 1 --block 32 --arg int32[96]=0,…
// expect: arg 0 = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 99 99 99 99 99 99 99 99 99 99 99 99 10 11 12 13 14 15 16 17 18 19 0 1 2 3 4 5 6 7 8 9 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 …
