// out = transposed in: straight, through a tile whose columns lie in one bank, and through one that is a column wider.
extern "C" __global__ void straight(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

template <int width>
static __device__ void through_tile(const float* in, float* out, int n) {
  __shared__ float tile[32][width];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  const int to_x = blockIdx.y * 32 + threadIdx.x, to_y = blockIdx.x * 32 + threadIdx.y;
  if (to_x < n && to_y < n) out[to_y * n + to_x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void tile32(const float* __restrict__ in, float* __restrict__ out, int n) { through_tile<32>(in, out, n); }
extern "C" __global__ void tile33(const float* __restrict__ in, float* __restrict__ out, int n) { through_tile<33>(in, out, n); }
