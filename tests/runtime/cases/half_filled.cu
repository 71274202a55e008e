// What initcheck of compute-sanitizer is for: cudaMemset counts bytes, and this program gives it elements.
// run: --observe init
// says: which neither the host nor a kernel has written
#include <cstdio>

__global__ void add_one(int* counts) {
  counts[blockIdx.x * blockDim.x + threadIdx.x] += 1;  // expect: init
}
__global__ void ok_add_one(int* counts) {
  counts[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main() {
  const int n = 96;
  int *counts, *others;
  if (cudaMalloc(&counts, n * sizeof(int)) || cudaMalloc(&others, n * sizeof(int))) return 1;
  if (cudaMemset(counts, 0, n)) return 1;
  add_one<<<3, 32>>>(counts);
  // In two pieces, the later one first: all of it all the same.
  if (cudaMemset(others + n / 2, 0, n / 2 * sizeof(int)) || cudaMemset(others, 0, n / 2 * sizeof(int))) return 1;
  ok_add_one<<<3, 32>>>(others);
  if (cudaDeviceSynchronize()) return 1;
  if (cudaFree(counts) || cudaFree(others)) return 1;
  return 0;
}
