// launch: sum --grid 1 --block 32 --arg float32[32]=ones --arg float32[1]=zeros
// expect: clean
__global__ void sum(const float* in, float* out) {
  __shared__ float tile[32];
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncwarp();
  for (int s = 16; s > 0; s /= 2) {
    float other = t < s ? tile[t + s] : 0;
    __syncwarp();
    tile[t] += other;
    __syncwarp();
  }
  if (t == 0) out[0] = tile[0];
}
