// launch: smooth --grid 1 --block 32 --arg float32[32]=ones --arg float32[32]=zeros
// expect: clean
__global__ void smooth(const float* in, float* out) {
  const int i = threadIdx.x;
  if (i == 0)
    for (int k = 0; k < 3; ++k) out[0] += in[k];
  else
    out[i] = sqrtf(in[i - 1]) + in[i];
}
