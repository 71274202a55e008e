// launch: twice --grid 2,3 --block 32 --arg int32[192]=iota --arg int32[192]=zeros --arg int32=192
__global__ void twice(const int* in, int* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = 2 * in[i];  // expect: race global blockIdx
}
