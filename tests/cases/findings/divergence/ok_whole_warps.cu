// launch: work --grid 4 --block 64 --arg float32[256]=ones --arg int32=20
// expect: clean
__global__ void work(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = data[i];
  if (i / 32 % 2 == 0) {
    for (int k = 0; k < n; ++k) v = v * 1.5f + 1;
    data[i] = v;
  } else {
    for (int k = 0; k < n; ++k) v = sqrtf(v) + 2;
    data[i] = v + 1;
  }
}
