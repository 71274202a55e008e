// Pointers of host code in a kernel: the sentence says so, wherever the host's memory is from. So it does of memory that was freed,
// also where a later allocation could have taken its place.
// run: --observe memory
// says: writes address
// says: which lies in the host's memory: a pointer from malloc or new, or to a variable of the host's code
// says: writes byte 0 of `allocation 1` (line 13), which was freed before this launch
// says: `allocation 1` is the 400 bytes that cudaMalloc gave
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void freed(float* a) {
  a[threadIdx.x] = 1;  // expect: memory
}
__global__ void of_malloc(float* a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 1;  // expect: memory
}
struct Table {
  float* values;
};
__global__ void in_struct(Table* table) {
  table->values[threadIdx.x] = 1;  // expect: memory
}
__global__ void on_stack(float* a) {
  a[threadIdx.x] = 1;  // expect: memory
}
__global__ void ok(float* a) {
  a[threadIdx.x] = 1;
}

int main() {
  float *first, *second, values[32] = {};
  cudaMalloc(&first, 400);
  cudaFree(first);
  cudaMalloc(&second, 400);
  freed<<<1, 32>>>(first);
  ok<<<1, 32>>>(second);
  float* large = static_cast<float*>(std::malloc(64 << 20));
  of_malloc<<<1, 32>>>(large, 32);
  std::vector<float> some(32);
  const Table table{some.data()};
  Table* there;
  cudaMalloc(&there, sizeof table);
  cudaMemcpy(there, &table, sizeof table, cudaMemcpyHostToDevice);
  in_struct<<<1, 32>>>(there);
  on_stack<<<1, 32>>>(values);
  cudaDeviceSynchronize();
  std::printf("%g %g %g\n", large[0] + some[0], values[0], double(first == second));
  for (int i = 0; i < 1000; ++i) {  // addresses are given out again after a while
    float* passing;
    if (cudaMalloc(&passing, 1 << 20) != cudaSuccess) return 1;
    cudaFree(passing);
  }
  cudaFree(second);
  cudaFree(there);
  std::free(large);
}
