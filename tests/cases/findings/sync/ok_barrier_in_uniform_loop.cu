// launch: steps --grid 1 --block 64 --arg int32[64]=iota --arg int32=5
// expect: clean
__global__ void steps(int* data, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    tile[t] = data[t];
    __syncthreads();
    data[t] = tile[(t + 1) % 64];
    __syncthreads();
  }
}
