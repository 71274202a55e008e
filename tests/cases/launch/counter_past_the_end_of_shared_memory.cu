// The same in a block's own memory, which ends at once behind the counters; its first turns are in order.
extern "C" __global__ void count(int* out, int last) {
  __shared__ int mine[8];
  const int t = threadIdx.x;
  if (t < 8) mine[t] = 0;
  __syncthreads();
  for (int n = 0; n < 100; ++n) atomicAdd(&mine[blockIdx.x == 77 && n == 50 && t == 40 ? last : t % 8], 1);
  __syncthreads();
  if (t < 8) atomicAdd(&out[t], mine[t]);
}
// launch: count --grid 128 --block 64 --arg int32[8]=0,… --arg int32=8
// status: cudaErrorIllegalAddress
// says: Thread (40,0,0) of block (77,0,0)
