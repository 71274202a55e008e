// launch: half --grid 1 --block 32 --arg int32[32]=iota
__global__ void half(int* data) {
  int t = threadIdx.x;
  data[t] = __shfl_down_sync(0x0000ffff, t, 1);  // expect: sync
}
