// What is done behind the arrival is ordered by nothing.
// launch: pass --grid 1 --block 64 --arg int32[64]=iota --arg int32[64]=zeros
__global__ void pass(const int* in, int* out) {
  __shared__ int box[64];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    box[lane] = in[lane];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    box[lane + 32] = in[lane + 32];  // expect: race shared, perhaps init shared
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[lane] = box[31 - lane];
    out[lane + 32] = box[63 - lane];  // expect: perhaps init shared
  }
}
