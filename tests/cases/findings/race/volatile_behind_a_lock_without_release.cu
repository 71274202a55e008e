// launch: put --grid 3 --block 32 --arg int32[1]=zeros --arg int32[1]=zeros
__global__ void put(int* lock, volatile int* last) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  last[0] = blockIdx.x + 1;  // expect: race global
  atomicExch(lock, 0);       // without a fence before it
}
