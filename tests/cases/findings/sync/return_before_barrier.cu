// launch: smooth --grid 2 --block 64 --arg float32[128]=iota --arg int32=100
__global__ void smooth(float* data, int n) {
  __shared__ float tile[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  tile[t] = data[i];
  __syncthreads();  // expect: sync
  data[i] = tile[t] + tile[t ^ 1];
}
