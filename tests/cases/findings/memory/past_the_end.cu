// launch: shift --grid 1 --block 64 --arg float32[64]=iota --arg float32[64]=zeros
__global__ void shift(const float* in, float* out) {
  int i = threadIdx.x;
  out[i] = in[i + 1];  // expect: memory global
}
