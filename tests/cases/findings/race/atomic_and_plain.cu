// launch: sum --grid 2 --block 64 --arg int32[1]=zeros --arg int32[2]=zeros
__global__ void sum(int* total, int* seen) {
  atomicAdd(&total[0], 1);
  __syncthreads();
  if (threadIdx.x == 0) seen[blockIdx.x] = total[0];  // expect: race global
}
