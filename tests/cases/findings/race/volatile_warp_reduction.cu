// launch: sum --grid 1 --block 32 --arg float32[32]=ones --arg float32[1]=zeros
// How it was written before Volta: volatile in place of __syncwarp.
__global__ void sum(const float* in, float* out) {
  __shared__ volatile float tile[32];
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncwarp();
  for (int s = 16; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s];  // expect: race shared put __syncwarp(), or __syncthreads() for the whole block, at the end of each turn
  }
  if (t == 0) out[0] = tile[0];
}
