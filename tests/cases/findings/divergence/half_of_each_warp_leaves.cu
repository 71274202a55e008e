// launch: work --grid 1 --block 128 --arg float32[128]=ones
// A guard along one dimension splits one warp of a launch.
__global__ void work(float* data) {
  if (threadIdx.x % 32 >= 16) return;  // expect: divergence
  float v = data[threadIdx.x];
  for (int k = 0; k < 10; ++k) v = sqrtf(v) + 2;
  data[threadIdx.x] = v;
}
