// launch: work --grid 4 --block 64 --arg float32[250]=ones --arg int32=250
// expect: clean
__global__ void work(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = data[i];
  for (int k = 0; k < 10; ++k) v = sqrtf(v) + 2;
  data[i] = v;
}
