// launch: hand_over --grid 1 --block 96 --arg int32[64]=zeros
// Warps 0 and 1 synchronise with each other alone; warp 2 goes its own way.
// expect: clean
__global__ void hand_over(int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t >= 64) return;
  tile[t] = t;
  asm volatile("bar.sync 1, 64;" ::: "memory");
  out[t] = tile[63 - t];
}
