// launch: half --grid 1 --block 32 --arg int32[32]=iota
__global__ void half(int* data) {
  int t = threadIdx.x;
  if (t >= 16) return;
  data[t] += 1;
  __syncwarp();  // expect: sync
  data[t] += 1;
}
