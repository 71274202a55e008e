// launch: meet --grid 1 --block 64 --arg int32[64]=zeros
// The halves of a block meet at barriers of their own. Behind one nobody writes, behind the other somebody does.
__global__ void meet(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 32) { asm volatile("bar.sync 0;" ::: "memory"); out[t] = s[63 - t]; } else { asm volatile("barrier.sync 0;" ::: "memory");  // expect: sync
    s[t] = 2 * t;  // expect: race shared
  }
}
