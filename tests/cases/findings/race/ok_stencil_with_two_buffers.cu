// launch: smooth --grid 4 --block 64 --arg float32[258]=iota --arg float32[258]=zeros
// expect: clean
__global__ void smooth(const float* u, float* next) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  next[i] = 0.5f * (u[i - 1] + u[i + 1]);
}
