// launch: reverse --grid 2 --block 64 --arg float32[128]=iota --arg float32[128]=zeros
// Another barrier than the one that the copies arrive at.
#include <cuda/barrier>

__global__ void reverse(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> there;
  const unsigned t = threadIdx.x, first = blockIdx.x * 64;
  if (t == 0) init(&there, 64);
  __syncthreads();
  cuda::memcpy_async(&tile[t], &in[first + t], sizeof(float), there);  // expect: race shared wait at the barrier object
  __syncthreads();
  out[first + t] = tile[63 - t];
}
