// A kernel that launches another is refused by its name, and told what to do.
// expect message: dynamic parallelism
#include <cstdio>
__global__ void fill(int* out, int first) { out[threadIdx.x] = first + threadIdx.x; } // by clang: note:17 declared here

__global__ void fill_rows(int* out, int rows) {
  if (threadIdx.x < rows) fill<<<1, 32>>>(out + 32 * threadIdx.x, 32 * threadIdx.x);  // expect: error:27 kernel launch
}

int main() { fill_rows<<<1, 32>>>(nullptr, 32); }
// clang differs: a note names the kernel that is launched.
