// launch: relax --grid 4 --block 32 --arg float32[128]=iota --arg int32=128 --arg int32=4
__global__ void relax(float* heat, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < steps; s++) {
    float mean = heat[i];
    if (i > 0 && i < n - 1) mean = (heat[i - 1] + heat[i + 1]) / 2;
    __syncthreads();
    heat[i] = mean;  // expect: race global a barrier of the whole grid
    __syncthreads();
  }
}
