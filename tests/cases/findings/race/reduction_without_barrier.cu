// launch: sum --grid 2 --block 128 --arg float32[256]=ones --arg float32[2]=zeros
__global__ void sum(const float* in, float* out) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s];  // expect: race shared put __syncthreads() at the end of each turn of the loop
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
