// launch: histogram --grid 4 --block 64 --arg int32[256]=iota --arg int32[64]=zeros
// expect: clean
__global__ void histogram(const int* in, int* bins) {
  __shared__ int mine[64];
  const int b = threadIdx.x;
  mine[b] = 0;
  __syncthreads();
  atomicAdd(&mine[in[blockIdx.x * 64 + b] % 5], 1);
  __syncthreads();
  atomicAdd(&bins[b], mine[b]);
}
