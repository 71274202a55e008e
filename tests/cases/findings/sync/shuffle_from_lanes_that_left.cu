// launch: add --grid 1 --block 32 --arg int32[32]=iota --arg int32=20
__global__ void add(int* data, int n) {
  int t = threadIdx.x;
  if (t >= n) return;
  int v = data[t];
  v += __shfl_down_sync(0xffffffffu, v, 4);  // expect: sync Thread (16,0,0) of block (0,0,0), lane 16 of its warp, reads by __shfl_down_sync (line 6) from lane 20, which has ended, was never started, or does not come to this call
  data[t] = v;
}
