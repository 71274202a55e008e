// launch: shift --grid 4 --block 64 --arg int32[256]=iota --arg int32[256]=zeros
__global__ void shift(int* a, int* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 2 * i;  // expect: race global
  __syncthreads();
  b[i] = a[(i + 1) % 256];
}
