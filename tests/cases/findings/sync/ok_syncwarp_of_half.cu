// launch: half --grid 1 --block 32 --arg int32[32]=iota
// expect: clean
__global__ void half(int* data) {
  int t = threadIdx.x;
  if (t < 16) {
    data[t] += 1;
    __syncwarp(0x0000ffff);
    data[t] += 1;
  }
}
