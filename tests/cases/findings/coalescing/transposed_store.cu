// launch: transpose --grid 2,8 --block 32,8 --arg float32[64x64]=iota --arg float32[64x64]=zeros
__global__ void transpose(const float* in, float* out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float v = in[64 * y + x];
  out[64 * x + y] = v;  // expect: coalescing global
}
