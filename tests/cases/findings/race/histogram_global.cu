// launch: histogram --grid 4 --block 64 --arg int32[256]=iota --arg int32[16]=zeros
__global__ void histogram(const int* values, int* bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bins[values[i] % 16] += 1;  // expect: race global not: the same index
}
