// launch: mark --grid 2 --block 64 --arg int32[2]=zeros
// expect: clean
__global__ void mark(int* found) {
  if (threadIdx.x == 0) found[blockIdx.x] = 1;
}
