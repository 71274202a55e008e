// run: --observe race --fail-on-findings
// exit: 1
#include <cstdio>

__global__ void count(int* counter) {
  counter[0] += 1;  // expect: race
}

int main() {
  int* counter;
  cudaMalloc(&counter, sizeof(int));
  cudaMemset(counter, 0, sizeof(int));
  count<<<4, 64>>>(counter);
  cudaDeviceSynchronize();
  cudaFree(counter);
}
