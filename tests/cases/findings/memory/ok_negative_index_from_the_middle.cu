// launch: shift --grid 1 --block 32 --arg int32[64]=iota --arg int32[32]=zeros
// expect: clean
__global__ void shift(const int* in, int* out) {
  const int* middle = in + 32;
  out[threadIdx.x] = middle[-1 - (int)threadIdx.x];
}
