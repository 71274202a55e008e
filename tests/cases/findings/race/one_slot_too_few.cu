// launch: pass_on --grid 1 --block 64 --arg int32[256]=iota --arg int32[64]=zeros
__global__ void pass_on(const int* in, int* out) {
  __shared__ int slot[64];
  int sum = 0;
  for (int round = 0; round < 4; round++) {
    slot[threadIdx.x] = in[64 * round + threadIdx.x];  // expect: race shared at the end of the loop
    __syncthreads();
    sum += slot[63 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
