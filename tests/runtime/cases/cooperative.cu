// prints: 6 of 6
#include <cooperative_groups.h>

#include <cstdio>

__global__ void two_steps(int* data) {
  data[blockIdx.x] = 1;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0)
    for (int b = 1; b < gridDim.x; ++b) data[0] += data[b];
}

int main() {
  int *data, sum = 0, blocks = 6, possible = 0;
  cudaMalloc(&data, blocks * sizeof(int));
  void* arguments[] = {&data};
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&possible, two_steps, 1, 0);
  cudaLaunchCooperativeKernel((void*)two_steps, blocks, 1, arguments);
  cudaMemcpy(&sum, data, sizeof sum, cudaMemcpyDeviceToHost);
  printf("%d of %d\n", sum, possible > 0 ? blocks : 0);
  cudaFree(data);
}
