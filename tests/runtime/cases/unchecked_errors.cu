// says: did not ask for this error
// says: without asking for the error
#include <cstdio>

__global__ void fill(int* out) { out[threadIdx.x] = 1; }

int main() {
  int* out;
  int host[64];
  cudaMalloc(&out, sizeof host);
  fill<<<1, 2048>>>(out);  // expect: error
  cudaMemcpy(out, host, sizeof host, cudaMemcpyDeviceToHost);  // expect: error
  cudaFree(out);
}
