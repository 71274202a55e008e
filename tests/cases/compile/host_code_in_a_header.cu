#include "program.h"
#include "values.h"
__global__ void k(float* a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = scale(a[threadIdx.x]);
}
int main() { check(cudaGetLastError()); }
// expect kernel: k(float* a, int n)
// expect left out: main()
