// launch: transpose --grid 1 --block 32,8 --arg float32[32x32]=iota --arg float32[32x32]=zeros
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][32];
  int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][x] = in[32 * y + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) out[32 * y + x] = tile[x][y];  // expect: banks shared Pad the rows by one element
}
