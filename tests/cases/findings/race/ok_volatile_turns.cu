// launch: turns --grid 3 --block 32 --arg int32[1]=zeros --arg int32[1]=zeros
// expect: clean
__global__ void turns(volatile int* turn, int* total) {
  if (threadIdx.x != 0) return;
  while (turn[0] != blockIdx.x) {
  }
  __threadfence();
  total[0] += 1;
  __threadfence();
  turn[0] = blockIdx.x + 1;  // each says another number, but only after the one before it
}
