#include <cub/cub.cuh>
__global__ void sum(const int* a, int* total) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  const int all = Reduce(storage).Sum(a[threadIdx.x]);
  if (threadIdx.x == 0) *total = all;
}
// expect kernel: sum(const int* a, int* total)
