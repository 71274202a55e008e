// Lane 31 goes first, lane 0 last: each spins on what the next one writes.
extern "C" __global__ void pass(volatile int* turn, int* order) {
  const int lane = threadIdx.x;
  while (*turn != 31 - lane) {
  }
  order[31 - lane] = lane;
  __threadfence();
  *turn = 32 - lane;
}
// launch: pass --grid 1 --block 32 --arg int32[1]=0 --arg int32[32]=0
// expect: arg 0 = 32
// expect: arg 1 = 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
