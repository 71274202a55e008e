// The producer knows when a box is full, and never asks whether it is empty again.
// launch: pipe --grid 1 --block 64 --arg int32[64]=iota --arg int32[64]=zeros
__global__ void pipe(const int* in, int* out) {
  __shared__ int box[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    box[lane] = in[lane];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    box[lane] = in[32 + lane];  // expect: race shared
    asm volatile("bar.arrive 2, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[lane] = box[31 - lane];
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[32 + lane] = box[31 - lane];
  }
}
