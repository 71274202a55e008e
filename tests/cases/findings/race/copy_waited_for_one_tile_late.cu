// launch: sums --grid 2 --block 64 --arg float32[1024]=iota --arg float32[128]=zeros
// The wait leaves one group too many under way: the tile that is about to be used.
#include <cuda_pipeline.h>

__global__ void sums(const float* in, float* out) {
  constexpr int stages = 3, tiles = 8;
  __shared__ float tile[stages][64];
  const int t = threadIdx.x;
  const float* mine = in + blockIdx.x * tiles * 64;
  for (int k = 0; k < stages - 1; ++k) {
    __pipeline_memcpy_async(&tile[k][t], &mine[k * 64 + t], sizeof(float));  // expect: race shared smaller number
    __pipeline_commit();
  }
  float sum = 0;
  for (int k = 0; k < tiles; ++k) {
    __pipeline_wait_prior(stages - 1);
    __syncthreads();
    sum += tile[k % stages][63 - t];
    __syncthreads();
    if (const int next = k + stages - 1; next < tiles)
      __pipeline_memcpy_async(&tile[next % stages][t], &mine[next * 64 + t], sizeof(float));  // expect: race shared smaller number
    __pipeline_commit();  // perhaps of nothing: the groups go on being counted
  }
  out[blockIdx.x * 64 + t] = sum;
}
