// launch: add --grid 2 --block 48 --arg int32[96]=iota
// expect: clean
// The second warp has 16 lanes, and the full mask means them all.
__global__ void add(int* data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = data[i];
  v += __shfl_xor_sync(0xffffffffu, v, 8);
  __syncwarp();
  data[i] = v + __any_sync(0xffffffffu, v > 0);
}
