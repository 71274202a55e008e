// launch: smooth --grid 2 --block 64 --arg float32[130]=iota --arg float32[128]=zeros
// expect: clean
__global__ void smooth(const float* in, float* out) {
  __shared__ float tile[66];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t + 1] = in[i + 1];
  if (t == 0) tile[0] = in[i];
  if (t == 63) tile[65] = in[i + 2];
  __syncthreads();
  out[i] = 0.5f * (tile[t] + tile[t + 2]);
}
