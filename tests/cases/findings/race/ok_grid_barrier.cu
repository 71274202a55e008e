// launch: rotate --grid 4 --block 64 --arg int32[256]=iota --arg int32[256]=zeros --arg int32[1]=zeros
// expect: clean
__global__ void rotate(int* a, int* b, unsigned* arrived) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 2 * i;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned*)arrived < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  b[i] = a[(i + 64) % 256];
}
