// launch: spread --grid 1 --block 32,4 --arg int32[32]=iota --arg int32[128]=zeros
// Only one row of threads stores: the index is right, a barrier is missing.
__global__ void spread(const int* in, int* out) {
  __shared__ int row[32];
  if (threadIdx.y == 0) row[threadIdx.x] = in[threadIdx.x];  // expect: race shared Put __syncthreads() between line 5 and line 6
  out[threadIdx.y * 32 + threadIdx.x] = row[threadIdx.x];    // expect: perhaps init shared
}
