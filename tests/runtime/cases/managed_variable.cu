// A variable that host code and kernels use by its name.
// prints: 4 calls
// run: --observe race --fail-on-findings
// cc refuses: cc does not compile __managed__ variables
#include <cstdio>

__managed__ int calls;

__global__ void count() { atomicAdd(&calls, 1); }

int main() {
  count<<<2, 2>>>();
  cudaDeviceSynchronize();
  std::printf("%d calls\n", calls);
}
