// launch: smooth --grid 4 --block 64 --arg float32[258]=iota
__global__ void smooth(float* u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  float mean = 0.5f * (u[i - 1] + u[i + 1]);
  __syncthreads();
  u[i] = mean;  // expect: race global
}
