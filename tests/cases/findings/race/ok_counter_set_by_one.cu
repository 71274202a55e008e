// launch: count --grid 1 --block 64 --arg int32[1]=zeros
// expect: clean
__global__ void count(int* out) {
  __shared__ int c;
  if (threadIdx.x == 0) c = 0;
  __syncthreads();
  atomicAdd(&c, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = c;
}
