// launch: scale --grid 1 --block 32 --arg float32[40]=ones --arg int32=40
// expect: clean
__global__ void scale(float* data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] *= 2;
}
