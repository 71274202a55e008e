// A kernel that needs a larger heap for its malloc than the 8 MiB that there are without asking.
// run: --fail-on-findings
// prints: without asking: some had none
// prints: with 64 MiB: all had theirs
// prints: asked too late: cudaErrorInvalidValue
#include <cstdio>
#include <cstring>

__global__ void takes(int* without, int bytes) {
  char* mine = static_cast<char*>(malloc(bytes));
  if (!mine) {
    atomicAdd(without, 1);
    return;
  }
  mine[bytes - 1] = 1;
  free(mine);
}

// Each thread keeps its piece until all have asked.
__global__ void keeps(int* without, int bytes) {
  volatile char* mine = static_cast<char*>(malloc(bytes));
  if (!mine)
    atomicAdd(without, 1);
  else
    mine[bytes - 1] = 1;
  __syncthreads();
  free(const_cast<char*>(mine));
}

int main() {
  int *without, host = 0;
  cudaMalloc(&without, 4);
  cudaMemset(without, 0, 4);
  size_t limit = 0;
  cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
  std::printf("without asking: %s\n", limit < 32u << 20 ? "some had none" : "as much as one likes");
  if (cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64u << 20) != cudaSuccess) return 1;
  keeps<<<1, 32>>>(without, 1 << 20);
  takes<<<1, 32>>>(without, 1000);
  cudaMemcpy(&host, without, 4, cudaMemcpyDeviceToHost);
  std::printf("with 64 MiB: %s\n", host == 0 ? "all had theirs" : "some had none");
  const cudaError_t late = cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128u << 20);
  std::printf("asked too late: %s\n", cudaGetErrorName(late));
  cudaFree(without);
}
