// Every lane goes round as often as its element says, and leaves. Those that stay vote without it.
// launch: rounds --grid 1 --block 64 --arg int32[64]=iota
// expect: clean
__global__ void rounds(int* data) {
  int n = data[threadIdx.x], together = 0;
#pragma unroll 4
  for (int k = 0; k < n; ++k) together += __popc(__ballot_sync(0xffffffffu, k < 40));
  data[threadIdx.x] = together;
}
