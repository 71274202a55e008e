// launch: add --grid 1 --block 32 --arg int32[32]=iota
__global__ void add(int* data) {
  int t = threadIdx.x, v = data[t];
  if (t < 16) v += __shfl_down_sync(0xffffu, v, 8);  // expect: sync
  data[t] = v;
}
