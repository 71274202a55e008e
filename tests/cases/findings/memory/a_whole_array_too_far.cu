// launch: twice --grid 16 --block 256 --arg float32[4096]=iota --arg float32[4096]=zeros
// What lies behind an array is no other array, not even a whole array further on.
__global__ void twice(float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  in[i + 4096 + 1024] = 2 * out[i];  // expect: memory global
}
