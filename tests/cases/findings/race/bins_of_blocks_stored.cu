// launch: histogram --grid 4 --block 64 --arg int32[256]=iota --arg int32[64]=zeros
// Each block has counted its share; the last one to store wins.
__global__ void histogram(const int* in, int* bins) {
  __shared__ int mine[64];
  const int b = threadIdx.x;
  mine[b] = 0;
  __syncthreads();
  atomicAdd(&mine[in[blockIdx.x * 64 + b] % 5], 1);
  __syncthreads();
  bins[b] = mine[b];  // expect: race global where each block adds its part to the same elements, use atomicAdd
}
