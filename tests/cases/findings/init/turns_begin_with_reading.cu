// launch: sum --grid 1 --block 64 --arg float32[256]=iota --arg float32[64]=zeros
// In the first turn nothing is there yet; a barrier would not mend that.
__global__ void sum(const float* in, float* out) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  float total = 0;
  for (int k = 0; k < 4; ++k) {
    total += tile[63 - t];  // expect: init shared Store to each place before it is read
    __syncthreads();
    tile[t] = in[64 * k + t];
    __syncthreads();
  }
  out[t] = total;
}
