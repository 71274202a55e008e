// launch: even --grid 2 --block 64 --arg int32[128]=iota
// expect: clean
__global__ void even(int* data) {
  __shared__ int tile[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (blockIdx.x % 2 == 0) {
    tile[t] = data[i];
    __syncthreads();
    data[i] = tile[63 - t];
  }
}
