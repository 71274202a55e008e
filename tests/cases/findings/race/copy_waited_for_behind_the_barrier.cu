// launch: shift --grid 1 --block 64 --arg float32[64]=iota --arg float32[64]=zeros
// Each thread has waited for its own copy, but not for its neighbour's.
#include <cuda_pipeline.h>

__global__ void shift(const float* in, float* out) {
  __shared__ float tile[64];
  const unsigned t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(float));  // expect: race shared
  __pipeline_commit();
  __syncthreads();
  __pipeline_wait_prior(0);
  out[t] = tile[(t + 32) % 64];
}
