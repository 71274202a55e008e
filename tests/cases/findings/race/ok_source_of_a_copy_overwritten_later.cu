// launch: add_neighbour --grid 1 --block 64 --arg float32[64]=iota
// expect: clean
#include <cuda_pipeline.h>

__global__ void add_neighbour(float* a) {
  __shared__ float tile[64];
  const unsigned t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &a[t], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  a[t] = tile[t] + tile[63 - t];
}
