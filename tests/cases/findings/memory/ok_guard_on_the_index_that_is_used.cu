// launch: rows --grid 5 --block 32 --arg float32[128]=iota --arg float32[128]=zeros --arg int32=128
// expect: clean
__global__ void rows(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, last = n - 1 - i;
  if (last >= 0) out[last] = in[i];
}
