// launch: highest --grid 4 --block 32 --arg int32[1]=zeros --arg int32[128]=iota
__global__ void highest(int* top, const int* in) {
  int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
  top[0] = max(top[0], mine);  // expect: race global atomicMax
}
