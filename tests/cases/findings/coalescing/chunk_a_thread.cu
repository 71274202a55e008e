// launch: sum --grid 2 --block 64 --arg float32[2048]=ones --arg float32[128]=zeros
__global__ void sum(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float total = 0;
  for (int k = 0; k < 16; ++k) total += in[16 * i + k];  // expect: coalescing global
  out[i] = total;
}
