// launch: gather --grid 2 --block 128 --arg float32[8192]=iota --arg float32[256]=zeros
__global__ void gather(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[32 * i];  // expect: coalescing global
}
