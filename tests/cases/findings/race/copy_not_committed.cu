// launch: twice --grid 1 --block 64 --arg float32[64]=iota --arg float32[64]=zeros
// A wait is for groups; without __pipeline_commit() the copy belongs to none.
#include <cuda_pipeline.h>

__global__ void twice(const float* in, float* out) {
  __shared__ float tile[64];
  const unsigned t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(float));  // expect: race shared this one is not committed
  __pipeline_wait_prior(0);
  out[t] = 2 * tile[t];
}
