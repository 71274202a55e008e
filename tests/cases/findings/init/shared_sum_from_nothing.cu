// launch: sum --grid 1 --block 64 --arg int32[64]=ones --arg int32[1]=zeros
__global__ void sum(const int* in, int* out) {
  __shared__ int total;
  atomicAdd(&total, in[threadIdx.x]);  // expect: init shared
  __syncthreads();
  if (threadIdx.x == 0) out[0] = total;
}
