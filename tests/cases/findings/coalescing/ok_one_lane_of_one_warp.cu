// launch: ends --grid 1 --block 32 --arg float32[256]=ones --arg float32[32]=zeros
// expect: clean
__global__ void ends(const float* in, float* out) {
  if (threadIdx.x % 31 == 0) out[threadIdx.x] = in[threadIdx.x * 8];  // two lanes that are far apart
}
