// Half of the warp has returned, and nobody reads from there.
// launch: add --grid 1 --block 32 --arg int32[32]=iota
// expect: clean
__global__ void add(int* data) {
  int t = threadIdx.x;
  if (t >= 16) return;
  int v = data[t];
  for (int step = 8; step; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
  data[t] = v;
}
