// Odd and even lanes trade places, each by a shuffle of its own: one call of the whole warp (since Volta).
// launch: trade --grid 2 --block 64 --arg int32[128]=iota
// expect: clean
__global__ void trade(int* data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = data[i];
  if (threadIdx.x % 2) {
    v = 3 * __shfl_xor_sync(0xffffffffu, v + 1, 1);
  } else {
    v = 5 * __shfl_xor_sync(0xffffffffu, v - 1, 1);
    v -= 2;
  }
  data[i] = v;
}
