// launch: scale --grid 2 --block 64 --arg float32[1000]=ones --arg int32=1000
// expect: clean
// Only the last round leaves lanes without work.
__global__ void scale(float* data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] *= 2;
}
