// run: --observe memory
// prints: no error
// says: writes allocation 1[64]; the access ends 4 bytes past the end of `allocation 1`, 64 elements of 4 bytes
// says: the last element is allocation 1[63]
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
