// launch: work --grid 4 --block 16,16 --arg float32[256x16]=ones --arg int32=8
// Threads leave at once as at a guard, but in every block, not only at the grid's end.
__global__ void work(float* data, int n) {
  const int at = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (threadIdx.x >= n) return;  // expect: divergence
  float v = data[at];
  for (int k = 0; k < 10; ++k) v = sqrtf(v) + 2;
  data[at] = v;
}
