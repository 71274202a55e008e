// launch: pairs --grid 1 --block 128 --arg float32[128]=iota --arg float32[64]=zeros
// expect: clean
__global__ void pairs(const float* in, float* out) {
  __shared__ float part[128];
  const int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  if (t < 64) out[t] = part[t] + part[127 - t];
}
