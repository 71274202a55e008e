// launch: count --grid 4 --block 32 --arg int32[128]=ones --arg int32[8]=zeros --arg int32[1]=zeros
// The counter hands out work; it guards nothing.
__global__ void count(const int* in, int* bins, int* next) {
  if (threadIdx.x != 0) return;
  for (int i = blockIdx.x; i < 128; i = 4 + atomicAdd(next, 1)) {
    if (in[i] > 0) bins[in[i]] += 1;  // expect: race global not: Call __threadfence() between
  }
}
