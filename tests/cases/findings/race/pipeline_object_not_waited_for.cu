// launch: sums --grid 2 --block 64 --arg float32[512]=iota --arg float32[128]=zeros
// Nobody waits for what the pipeline copies.
#include <cuda/pipeline>

__global__ void sums(const float* in, float* out) {
  constexpr int stages = 2, tiles = 4;
  __shared__ float tile[stages][64];
  const int t = threadIdx.x;
  const float* mine = in + blockIdx.x * tiles * 64;
  auto pipe = cuda::make_pipeline();
  float sum = 0;
  for (int k = 0, begun = 0; k < tiles; ++k) {
    for (; begun < tiles && begun < k + stages; ++begun) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[begun % stages][t], &mine[begun * 64 + t], sizeof(float), pipe);  // expect: race shared consumer_wait()
      pipe.producer_commit();
    }
    __syncthreads();
    sum += tile[k % stages][63 - t];
    __syncthreads();
    pipe.consumer_release();
  }
  out[blockIdx.x * 64 + t] = sum;
}
