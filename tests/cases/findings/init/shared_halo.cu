// launch: smooth --grid 2 --block 64 --arg float32[128]=iota --arg float32[128]=zeros
__global__ void smooth(const float* in, float* out) {
  __shared__ float tile[66];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t + 1] = in[i];
  if (t == 0) tile[0] = 0;
  __syncthreads();
  out[i] = tile[t] + tile[t + 2];  // expect: init shared
}
