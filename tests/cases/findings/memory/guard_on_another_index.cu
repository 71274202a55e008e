// launch: rows --grid 4 --block 32 --arg float32[128]=iota --arg float32[128]=zeros --arg int32=128
// A guard is there already; the index that is used is another one.
__global__ void rows(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[blockIdx.x * n + threadIdx.x] = in[i];  // expect: memory global Check how the line computes its index: the last element is out[127]
}
