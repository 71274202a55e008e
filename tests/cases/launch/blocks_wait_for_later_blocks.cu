// Block 0 waits for the last one; all of them are resident.
extern "C" __global__ void chain(volatile int* turn, int* order) {
  const int n = gridDim.x, mine = n - 1 - blockIdx.x;
  if (threadIdx.x == 0) {
    while (*turn != mine) {
    }
    order[mine] = blockIdx.x;
    __threadfence();
    *turn = mine + 1;
  }
  __syncthreads();
}
// launch: chain --grid 16 --block 64 --arg int32[1]=0 --arg int32[16]=0
// expect: arg 1 = 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
