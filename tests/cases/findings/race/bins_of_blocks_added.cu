// launch: histogram --grid 4 --block 64 --arg int32[256]=iota --arg int32[64]=zeros
// All blocks add to the same bins, as they should; only not in one step.
__global__ void histogram(const int* in, int* bins) {
  __shared__ int mine[64];
  const int b = threadIdx.x;
  mine[b] = 0;
  __syncthreads();
  atomicAdd(&mine[in[blockIdx.x * 64 + b] % 5], 1);
  __syncthreads();
  bins[b] += mine[b];  // expect: race global Use an atomic such as atomicAdd, race global not: index of line, race global not: __threadfence
}
