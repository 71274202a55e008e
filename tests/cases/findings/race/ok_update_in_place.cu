// launch: scale --grid 4 --block 64 --arg float32[256]=iota
// expect: clean
__global__ void scale(float* u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u[i] = 2 * u[i] + 1;
}
