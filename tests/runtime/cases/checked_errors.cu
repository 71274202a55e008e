// Innocent: it looks at what its calls return, and goes on. What CUDA refuses is told all the same.
// prints: invalid configuration argument
// prints: cudaErrorInvalidValue
#include <cstdio>

__global__ void fill(int* out) { out[threadIdx.x] = 1; }

int main() {
  int* out;
  int host[64];
  cudaMalloc(&out, sizeof host);
  fill<<<1, 2048>>>(out);  // expect: error
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  cudaError_t error = cudaMemcpy(out, host, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s\n", cudaGetErrorName(error));
  cudaFree(out);
}
