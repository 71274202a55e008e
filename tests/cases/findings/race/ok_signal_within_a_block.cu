// launch: pass --grid 2 --block 64 --arg int32[2]=zeros --arg int32[2]=zeros --arg int32[2]=zeros
// Between two warps of one block a fence of the block is enough, on both sides.
// expect: clean
__global__ void pass(int* data, int* flag, int* out) {
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    data[b] = 42;
    __threadfence_block();
    atomicExch(&flag[b], 1);
  }
  if (threadIdx.x == 32) {
    while (atomicAdd(&flag[b], 0) == 0) {
    }
    __threadfence_block();
    out[b] = data[b];
  }
}
