// launch: pairs --grid 1 --block 64 --arg int32[64]=zeros
__global__ void pairs(int* out) {
  __shared__ int s[64];
  s[threadIdx.x / 2] = threadIdx.x;  // expect: race shared Both have computed the same index
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = s[threadIdx.x];
}
