// C = A × B, square: a thread an element with x along rows (by_row), along columns (by_column), and with tiles in shared memory.
#ifndef TILE
#define TILE 32
#endif
extern "C" __global__ void by_row(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

extern "C" __global__ void by_column(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

extern "C" __global__ void tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    left[y][x] = row < n && t + x < n ? a[row * n + t + x] : 0.0f;
    right[y][x] = t + y < n && column < n ? b[(t + y) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += left[y][k] * right[k][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
