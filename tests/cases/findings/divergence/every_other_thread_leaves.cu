// launch: work --grid 1,1 --block 8,8 --arg float32[64]=ones
// At the grid's end, and at once, but between those that leave there are others that work.
__global__ void work(float* data) {
  const int at = threadIdx.y * 8 + threadIdx.x;
  if (threadIdx.x % 2 == 1) return;  // expect: divergence
  float v = data[at];
  for (int k = 0; k < 10; ++k) v = sqrtf(v) + 2;
  data[at] = v;
}
