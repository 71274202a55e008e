// launch: apply --grid 2 --block 64 --arg float32[128]=ones --arg int32=1
// expect: clean
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__global__ void apply(float* data, int which) {
  float (*const functions[])(float) = {twice, square};
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = functions[which](data[i]);
}
