// launch: sum --grid 2 --block 64 --arg int32[2]=zeros --arg int32[2]=zeros
// expect: clean
__global__ void sum(int* total, int* seen) {
  atomicAdd(&total[blockIdx.x], 1);
  __syncthreads();
  if (threadIdx.x == 0) seen[blockIdx.x] = total[blockIdx.x];
}
