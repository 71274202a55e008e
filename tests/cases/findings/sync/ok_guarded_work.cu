// launch: smooth --grid 2 --block 64 --arg float32[128]=iota --arg int32=100
// expect: clean
__global__ void smooth(float* data, int n) {
  __shared__ float tile[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? data[i] : 0;
  __syncthreads();
  if (i < n) data[i] = tile[t] + tile[t ^ 1];
}
