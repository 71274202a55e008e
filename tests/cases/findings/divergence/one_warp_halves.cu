// launch: work --grid 1 --block 32 --arg float32[32]=ones --arg int32=20
// A range, but no bounds guard: the others have work, too.
__global__ void work(float* data, int n) {
  float v = data[threadIdx.x];
  if (threadIdx.x < 16) {  // expect: divergence
    for (int k = 0; k < n; ++k) v = v * 1.5f + 1;
    data[threadIdx.x] = v;
  } else {
    for (int k = 0; k < n; ++k) v = sqrtf(v) + 2;
    data[threadIdx.x] = v + 1;
  }
}
