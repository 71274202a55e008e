// prints: 10 20 30 40
// run: --observe memory,init --fail-on-findings
#include <cstdio>

__constant__ int factor;

__global__ void scale(int* pinned, int* managed) {
  managed[threadIdx.x] = pinned[threadIdx.x] * factor;
}

int main() {
  int *pinned, *managed, value = 10;
  cudaMallocHost(&pinned, 4 * sizeof(int));
  cudaMallocManaged(&managed, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i) pinned[i] = i + 1;
  cudaMemcpyToSymbol(factor, &value, sizeof value);
  scale<<<1, 4>>>(pinned, managed);
  cudaDeviceSynchronize();
  printf("%d %d %d %d\n", managed[0], managed[1], managed[2], managed[3]);
  int device = -1;
  cudaDeviceProp properties;
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&properties, device);
  size_t pitch;
  char* rows;
  cudaMallocPitch(&rows, &pitch, 100, 5);
  cudaMemset2D(rows, pitch, 1, 100, 5);
  char host[500];
  cudaMemcpy2D(host, 100, rows, pitch, 100, 5, cudaMemcpyDeviceToHost);
  cudaFree(rows);
  cudaFreeHost(pinned);
  cudaFree(managed);
  return host[499] == 1 && properties.warpSize == 32 && properties.multiProcessorCount > 0 ? 0 : 9;
}
