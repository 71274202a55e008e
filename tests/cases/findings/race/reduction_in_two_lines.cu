// launch: sum --grid 2 --block 128 --arg float32[256]=ones --arg float32[2]=zeros
// A barrier between the two lines would mend nothing: another turn reads what this one stores.
__global__ void sum(const float* in, float* out) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (t < s) {
      float other = tile[t + s];
      tile[t] += other;  // expect: race shared The loop comes back to line 10
    }
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
