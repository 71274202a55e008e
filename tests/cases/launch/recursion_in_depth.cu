// Thousands of calls one within the other, down and up again and again, by a lane alone and by all.
__device__ __noinline__ int count(const volatile int* one, int n) { return n ? count(one, n - 1) + *one : 0; }

__global__ void depths(int* out) {
  const int lane = threadIdx.x;
  int sum = 0;
  for (int turn = 0; turn < 20; ++turn) sum += count(out + 32, 4000);
  if (lane == 3) sum += count(out + 32, 1500);
  __syncwarp();
  out[lane] = sum;
}
// launch: depths --grid 1 --block 32 --arg int32[33]=1,…
// expect: arg 0 = 80000 80000 80000 81500 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 80000 1
