// launch: sum --grid 2 --block 64 --arg float32[2048]=ones --arg float32[128]=zeros
// expect: clean
__global__ void sum(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float total = 0;
  for (int k = i; k < 2048; k += 128) total += in[k];
  out[i] = total;
}
