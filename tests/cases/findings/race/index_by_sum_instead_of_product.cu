// launch: twice --grid 4 --block 64 --arg int32[256]=iota --arg int32[256]=zeros
// The index has the block's number and the thread's, and neighbouring blocks have the same ones all the same.
__global__ void twice(const int* in, int* out) {
  int i = blockIdx.x + threadIdx.x;
  out[i] = 2 * in[blockIdx.x * blockDim.x + threadIdx.x];  // expect: race global Both have computed the same index. Look at how the index of line 5 is made: each
}
