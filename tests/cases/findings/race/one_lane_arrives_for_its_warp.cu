// launch: produce --grid 1 --block 64 --arg float32[32]=iota --arg float32[32]=zeros
#include <cuda/barrier>
__global__ void produce(const float* in, float* out) {
  __shared__ float half[32];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) init(&ready, 33);
  __syncthreads();
  if (threadIdx.x < 32) {
    half[threadIdx.x] = in[threadIdx.x] / 2;  // expect: race shared Let every thread that stores arrive
    if (threadIdx.x == 0) (void)ready.arrive();
  } else {
    ready.arrive_and_wait();
    out[threadIdx.x - 32] = half[63 - threadIdx.x];
  }
}
