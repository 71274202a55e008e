// launch: sum --grid 4 --block 64 --arg int32[256]=ones --arg int32[4]=zeros --arg int32[1]=zeros --arg int32[1]=zeros
__global__ void sum(const int* in, volatile int* partial, unsigned* done, int* total) {
  __shared__ int mine;
  __shared__ bool last;
  if (threadIdx.x == 0) mine = 0;
  __syncthreads();
  atomicAdd(&mine, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = mine;  // expect: race global Call __threadfence() between line 10 and line 11.
    last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
    total[0] = sum;
  }
}
