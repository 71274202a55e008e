// launch: work --grid 2,2 --block 16,16 --arg float32[20x20]=ones --arg int32=20 --arg int32=20
// expect: clean
// The guard stands around the work: whoever is outside comes to the kernel's end.
__global__ void work(float* data, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    float v = data[y * width + x];
    for (int k = 0; k < 10; ++k) v = sqrtf(v) + 2;
    data[y * width + x] = v;
  }
}
