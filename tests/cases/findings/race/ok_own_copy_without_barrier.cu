// launch: twice --grid 2 --block 64 --arg float32[128]=iota --arg float32[128]=zeros
// expect: clean
// Who reads only what it has copied itself needs to wait, but no barrier.
#include <cuda_pipeline.h>

__global__ void twice(const float* in, float* out) {
  __shared__ float tile[64];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  __pipeline_memcpy_async(&tile[t], &in[i], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[i] = 2 * tile[t];
}
