// launch: add --grid 2 --block 64 --arg float32[1000]=iota --arg float32[1000]=ones --arg int32=1000
// expect: clean
__global__ void add(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] += in[i];
}
