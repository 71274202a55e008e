// launch: turns --grid 2 --block 32 --arg int32[1]=zeros
__global__ void turns(volatile int* turn) {
  if (blockIdx.x == 0 && threadIdx.x > 0) return;
  while (turn[0] < static_cast<int>(blockIdx.x)) {
  }
  __threadfence();
  turn[0] = blockIdx.x * 32 + threadIdx.x + 1;  // expect: race global
}
