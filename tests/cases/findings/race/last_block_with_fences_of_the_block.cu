// launch: sum --grid 4 --block 64 --arg int32[256]=ones --arg int32[4]=zeros --arg int32[1]=zeros --arg int32[1]=zeros
__global__ void sum(const int* in, int* partial, unsigned* done, int* total) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = 0;
  __syncthreads();
  atomicAdd(&mine, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = mine;  // expect: race global The fence in line 12 counts within its own block only
  __threadfence();
  if (atomicInc(done, gridDim.x) != gridDim.x - 1) return;
  __threadfence_block();
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
  total[0] = sum;
}
