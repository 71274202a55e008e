// run: --observe race --fail-on-findings
// prints: 256
#include <cstdio>

__device__ int counter;

__global__ void count() { atomicAdd(&counter, 1); }

int main() {
  count<<<4, 64>>>();
  int total = 0;
  cudaMemcpyFromSymbol(&total, counter, sizeof total);
  printf("%d\n", total);
}
