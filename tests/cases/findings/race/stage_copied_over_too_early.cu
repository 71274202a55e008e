// launch: sums --grid 1 --block 64 --arg float32[512]=iota --arg float32[64]=zeros
// The next tile is copied over the one that slower threads still read.
#include <cuda_pipeline.h>

__global__ void sums(const float* in, float* out) {
  constexpr int stages = 2, tiles = 8;
  __shared__ float tile[stages][64];
  const int t = threadIdx.x;
  for (int k = 0; k < stages; ++k) {
    __pipeline_memcpy_async(&tile[k][t], &in[k * 64 + t], sizeof(float));
    __pipeline_commit();
  }
  float sum = 0;
  for (int k = 0; k < tiles; ++k) {
    __pipeline_wait_prior(stages - 1);
    __syncthreads();
    sum += tile[k % stages][63 - t];
    if (const int next = k + stages; next < tiles)
      __pipeline_memcpy_async(&tile[k % stages][t], &in[next * 64 + t], sizeof(float));  // expect: race shared no barrier between
    __pipeline_commit();
  }
  out[t] = sum;
}
