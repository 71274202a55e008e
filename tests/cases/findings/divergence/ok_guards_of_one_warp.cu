// launch: work --grid 1 --block 8,4 --arg float32[4x8]=ones --arg int32=7 --arg int32=3
// expect: clean
// The whole launch is a warp, so that every guard splits all warps.
__global__ void work(float* data, int width, int height) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x >= width) return;
  if (y < height)
    for (int k = 0; k < 10; ++k) data[y * 8 + x] = sqrtf(data[y * 8 + x]) + 2;
  if (x > 0 && x < width - 1) data[y * 8 + x] += 1;
  if (x == 3 && y == 2) data[19] += 1;
}
