// run: --observe memory
// prints: no error
// says: allocation 1
#include <cstdio>

__global__ void set(int* out) {
  out[threadIdx.x + 1] = 1;  // expect: memory
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  set<<<1, 64>>>(out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(out);
}
