// launch: shift --grid 2 --block 64 --arg float32[128]=iota --arg float32[128]=zeros
// The barrier comes, the copy perhaps not: __syncthreads() does not wait for asynchronous copies.
#include <cuda_pipeline.h>

__global__ void shift(const float* in, float* out) {
  __shared__ float tile[64];
  const unsigned t = threadIdx.x, first = blockIdx.x * blockDim.x;
  __pipeline_memcpy_async(&tile[t], &in[first + t], sizeof(float));  // expect: race shared call __pipeline_commit() and __pipeline_wait_prior(0)
  __pipeline_commit();
  __syncthreads();
  out[first + t] = tile[(t + 1) % 64];
}
