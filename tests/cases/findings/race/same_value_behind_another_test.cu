// launch: mark --grid 4 --block 32 --arg int32[1]=zeros --arg int32[128]=iota
// What is looked at first is another array: whoever comes, the mark is the same.
__global__ void mark(int* found, const int* in) {
  if (in[blockIdx.x * blockDim.x + threadIdx.x] % 3 == 0) found[0] = 1;  // expect: race global harmless
}
