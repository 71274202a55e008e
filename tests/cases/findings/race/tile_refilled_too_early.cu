// launch: sum --grid 1 --block 64 --arg float32[256]=iota --arg float32[64]=zeros
__global__ void sum(const float* in, float* out) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  float total = 0;
  for (int k = 0; k < 4; ++k) {
    tile[t] = in[64 * k + t];  // expect: race shared
    __syncthreads();
    total += tile[63 - t];
  }
  out[t] = total;
}
