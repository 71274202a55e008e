// launch: sums --grid 4 --block 64 --arg float32[256]=ones --arg float32[4]=zeros
// expect: clean
// Each warp and each block leaves a result: one lane must store it, and that is cheap.
__device__ float of_warp(float x) {
  for (int gap = 16; gap > 0; gap /= 2) x += __shfl_down_sync(~0u, x, gap);
  return x;
}
__global__ void sums(const float* in, float* out) {
  __shared__ float part[2];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float x = of_warp(in[blockIdx.x * blockDim.x + threadIdx.x]);
  if (lane == 0) part[warp] = x;
  __syncthreads();
  if (threadIdx.x != 0) return;
  out[blockIdx.x] = part[0] + part[1];
}
