// launch: triple --grid 4 --block 64 --arg float32[256]=iota
__global__ void triple(float* a) {
  int i = threadIdx.x;
  a[i] = a[i] * 3;  // expect: race global If all blocks are meant to change the same elements, use an atomic, race global blockIdx.x * blockDim.x + threadIdx.x
}
