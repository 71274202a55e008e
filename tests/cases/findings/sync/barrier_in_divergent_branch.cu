// launch: half --grid 1 --block 64 --arg int32[64]=iota
__global__ void half(int* data) {
  int t = threadIdx.x;
  if (t % 2 == 0) {
    data[t] += 1;
    __syncthreads();  // expect: sync
    data[t] += 1;
  }
}
