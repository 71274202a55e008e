// launch: number --grid 2 --block 16,4 --arg int32[32]=zeros
__global__ void number(int* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  out[x] = 100 * threadIdx.y + threadIdx.x;  // expect: race global The index of line 4 has no threadIdx.y
}
