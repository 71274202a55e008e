// launch: smooth --grid 1 --block 64 --arg float32[64]=iota --arg float32[64]=zeros
__global__ void smooth(const float* in, float* out) {
  __shared__ float tile[65];
  int t = threadIdx.x;
  tile[t + 1] = in[t];
  if (t == 0) tile[0] = in[0];
  __syncthreads();
  out[t] = tile[t] + tile[t + 2];  // expect: memory shared the last element is tile[64]
}
