// launch: histogram --grid 2 --block 64 --arg int32[128]=iota --arg int32[16]=zeros
__global__ void histogram(const int* values, int* bins) {
  __shared__ int mine[16];
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
  mine[values[blockIdx.x * blockDim.x + threadIdx.x] % 16] += 1;  // expect: race shared
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
