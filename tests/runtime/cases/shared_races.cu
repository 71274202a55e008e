// What racecheck of compute-sanitizer is for: shared memory that is read before the others have written it, in a block and in a warp.
// run: --observe race
// says: Put __syncthreads() between
// says: Put __syncwarp()
// prints: 2016
// prints: 496
#include <cstdio>

__global__ void sum_of_the_block(const int* numbers, int* sum) {
  __shared__ int all[64];
  all[threadIdx.x] = numbers[threadIdx.x];  // expect: race
  if (threadIdx.x == 0) {
    int total = 0;
    for (int i = 0; i < 64; ++i) total += all[i];
    *sum = total;
  }
}

__global__ void sums_of_the_warps(const int* numbers, int* sums) {
  __shared__ int all[64];
  all[threadIdx.x] = numbers[threadIdx.x];  // expect: race
  if (threadIdx.x % 32 == 0) {
    int total = 0;
    for (int i = 0; i < 32; ++i) total += all[threadIdx.x + i];
    sums[threadIdx.x / 32] = total;
  }
}

__global__ void ok_of_the_block(const int* numbers, int* sum) {
  __shared__ int all[64];
  all[threadIdx.x] = numbers[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int i = 0; i < 64; ++i) total += all[i];
    *sum = total;
  }
}

__global__ void ok_of_the_warps(const int* numbers, int* sums) {
  __shared__ int all[64];
  all[threadIdx.x] = numbers[threadIdx.x];
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    int total = 0;
    for (int i = 0; i < 32; ++i) total += all[threadIdx.x + i];
    sums[threadIdx.x / 32] = total;
  }
}

int main() {
  int *numbers, *sums;
  if (cudaMallocManaged(&numbers, 64 * sizeof(int)) || cudaMallocManaged(&sums, 2 * sizeof(int))) return 1;
  for (int i = 0; i < 64; ++i) numbers[i] = i;
  sum_of_the_block<<<1, 64>>>(numbers, sums);
  sums_of_the_warps<<<1, 64>>>(numbers, sums);
  ok_of_the_block<<<1, 64>>>(numbers, sums);
  if (cudaDeviceSynchronize()) return 1;
  std::printf("%d\n", sums[0]);
  ok_of_the_warps<<<1, 64>>>(numbers, sums);
  if (cudaDeviceSynchronize()) return 1;
  std::printf("%d\n", sums[0]);
  if (cudaFree(numbers) || cudaFree(sums)) return 1;
  return 0;
}
