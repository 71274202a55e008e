// Whoever only arrives has waited for nobody.
// launch: pass --grid 1 --block 64 --arg int32[32]=iota --arg int32[32]=zeros
__global__ void pass(const int* in, int* out) {
  __shared__ int box[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    box[lane] = in[lane];  // expect: race shared, perhaps init shared
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    out[lane] = box[31 - lane];  // expect: perhaps init shared
  }
}
