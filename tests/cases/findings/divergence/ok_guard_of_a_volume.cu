// launch: work --grid 2,2,3 --block 8,4,2 --arg float32[5x6x13]=ones --arg int32=13 --arg int32=6 --arg int32=5
// expect: clean
// Most blocks of a small volume reach over its end in some dimension, and there each warp splits.
__global__ void work(float* data, int width, int height, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= width || y >= height || z >= depth) return;
  float& v = data[(z * height + y) * width + x];
  for (int k = 0; k < 10; ++k) v = sqrtf(v) + 2;
}
