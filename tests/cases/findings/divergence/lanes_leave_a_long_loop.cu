// launch: escape --grid 4,4 --block 16,16 --arg float32[64x64]=zeros --arg int32=64 --arg int32=64
// Few rounds of the loop split a warp, but lanes that are done early wait for many of them.
__global__ void escape(float* steps, int width, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float cx = -2.2f + 3.0f * x / width, cy = -1.5f + 3.0f * y / width;
  float zx = 0, zy = 0;
  int n = 0;
  while (n < most && zx * zx + zy * zy < 4) {  // expect: divergence
    const float next = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = next;
    ++n;
  }
  steps[y * width + x] = n;
}
