// What synccheck of compute-sanitizer is for: a barrier that not all threads of the block reach, and a mask that leaves out who calls.
// run: --observe sync
// says: of its block has ended without reaching it
// says: a mask that leaves its own lane 8 out
#include <cstdio>

__global__ void guarded(const int* numbers, int n, int* sums) {
  int sum = 0;
  for (int first = 0; first < n; first += 64) {
    if (first + threadIdx.x < n) {
      sum += numbers[first + threadIdx.x];
      __syncthreads();  // expect: sync
    }
  }
  sums[threadIdx.x] = sum;
}

__global__ void left_out(int* sums) {
  __shared__ int all[32];
  unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 8);
  if (threadIdx.x <= 8) {
    all[threadIdx.x] = threadIdx.x;
    __syncwarp(mask);  // expect: sync
    sums[threadIdx.x] = all[8 - threadIdx.x];
  }
}

__global__ void ok_guarded(const int* numbers, int n, int* sums) {
  int sum = 0;
  for (int first = 0; first < n; first += 64) {
    if (first + threadIdx.x < n) sum += numbers[first + threadIdx.x];
    __syncthreads();
  }
  sums[threadIdx.x] = sum;
}

__global__ void ok_named(int* sums) {
  __shared__ int all[32];
  unsigned mask = __ballot_sync(0xffffffff, threadIdx.x <= 8);
  if (threadIdx.x <= 8) {
    all[threadIdx.x] = threadIdx.x;
    __syncwarp(mask);
    sums[threadIdx.x] = all[8 - threadIdx.x];
  }
}

int main() {
  int *numbers, *sums;
  if (cudaMallocManaged(&numbers, 100 * sizeof(int)) || cudaMallocManaged(&sums, 64 * sizeof(int))) return 1;
  for (int i = 0; i < 100; ++i) numbers[i] = i;
  guarded<<<1, 64>>>(numbers, 100, sums);
  left_out<<<1, 32>>>(sums);
  ok_guarded<<<1, 64>>>(numbers, 100, sums);
  ok_named<<<1, 32>>>(sums);
  if (cudaDeviceSynchronize()) return 1;
  if (cudaFree(numbers) || cudaFree(sums)) return 1;
  return 0;
}
