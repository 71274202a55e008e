// What CUDA before version 9 called the functions of a warp: cc has them still, for the lanes that are active.
// run: --observe all --fail-on-findings
// prints: 496 496 31 30 1 0 ffff
// cc alone
#include <cstdio>

__global__ void tell(int* told) {
  int sum = threadIdx.x;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down(sum, step);
  int all = threadIdx.x;
  for (int step = 16; step > 0; step /= 2) all += __shfl_xor(all, step);
  const int last = __shfl(int(threadIdx.x), 31), before = __shfl_up(int(threadIdx.x), 1);
  const int any = __any(threadIdx.x == 3), every = __all(threadIdx.x == 3);
  if (threadIdx.x == 0) {
    told[0] = sum;
    told[4] = any;
    told[5] = every;
  }
  if (threadIdx.x == 31) {
    told[1] = all;
    told[2] = last;
    told[3] = before;
  }
  if (threadIdx.x < 16) {
    const unsigned active = __ballot(1);
    if (threadIdx.x == 5) told[6] = active;
  }
}

int main() {
  int* told;
  cudaMallocManaged(&told, 7 * sizeof(int));
  tell<<<1, 32>>>(told);
  cudaDeviceSynchronize();
  std::printf("%d %d %d %d %d %d %x\n", told[0], told[1], told[2], told[3], told[4], told[5], told[6]);
  cudaFree(told);
}
