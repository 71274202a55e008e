// launch: mark --grid 2 --block 64 --arg int32[128]=iota --arg int32[1]=zeros
__global__ void mark(const int* in, int* found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 5 == 3) found[0] = 1;  // expect: race global
}
