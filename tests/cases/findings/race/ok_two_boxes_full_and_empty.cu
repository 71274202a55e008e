// Two boxes in turn, each with a barrier that says it is full and one that says it is empty.
// launch: pipe --grid 1 --block 64 --arg int32[256]=iota --arg int32[256]=zeros --arg int32=8
// expect: clean
__device__ void wait_at(int barrier) { asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory"); }
__device__ void arrive_at(int barrier) { asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory"); }

__global__ void pipe(const int* in, int* out, int rounds) {
  __shared__ int box[2][32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int k = 0; k < rounds; ++k) {
      if (k >= 2) wait_at(3 + k % 2);
      box[k % 2][lane] = in[32 * k + lane];
      arrive_at(1 + k % 2);
    }
  } else {
    for (int k = 0; k < rounds; ++k) {
      wait_at(1 + k % 2);
      out[32 * k + lane] = box[k % 2][31 - lane];
      if (k + 2 < rounds) arrive_at(3 + k % 2);
    }
  }
}
