// launch: sum --grid 3 --block 64 --arg int32[1]=zeros
__global__ void sum(int* total) {
  if (blockIdx.x == 0 && threadIdx.x == 0) total[0] = 0;  // expect: race global
  __syncthreads();
  atomicAdd(&total[0], 1);
}
