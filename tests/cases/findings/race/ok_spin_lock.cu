// launch: add --grid 3 --block 32 --arg int32[1]=zeros --arg int32[1]=zeros
// expect: clean
__global__ void add(int* lock, volatile int* total) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  total[0] = total[0] + 1;
  __threadfence();
  atomicExch(lock, 0);
}
