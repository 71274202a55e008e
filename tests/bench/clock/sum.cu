// The sum of an array: an atomic a thread, an atomic a block, and the latter over a grid that loops.
extern "C" __global__ void naive(const float* __restrict__ x, float* __restrict__ sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}

static __device__ void add_block(float value, float* sum) {
  __shared__ float of_warp[32];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp != 0) return;
  value = lane < (blockDim.x + 31) / 32 ? of_warp[lane] : 0.0f;
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  if (lane == 0) atomicAdd(sum, value);
}

extern "C" __global__ void by_block(const float* __restrict__ x, float* __restrict__ sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  add_block(i < n ? x[i] : 0.0f, sum);
}

extern "C" __global__ void strided(const float* __restrict__ x, float* __restrict__ sum, int n) {
  float value = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) value += x[i];
  add_block(value, sum);
}
