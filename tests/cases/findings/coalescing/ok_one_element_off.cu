// launch: shift --grid 4 --block 64 --arg float32[257]=iota --arg float32[256]=zeros
// expect: clean
__global__ void shift(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + 1];
}
