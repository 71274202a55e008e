// launch: scale --grid 2 --block 64 --arg float32[128]=ones --arg float32[1]=unwritten --arg float32[128]=zeros
__global__ void scale(const float* in, const float* factor, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * factor[0];  // expect: init global
}
