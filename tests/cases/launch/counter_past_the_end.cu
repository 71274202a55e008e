// Small blocks count together; one lane of one of them adds behind the counters.
extern "C" __global__ void count(int* bins, int last) {
  const int t = threadIdx.x;
  for (int n = 0; n < 100; ++n) atomicAdd(&bins[blockIdx.x == 77 && n == 50 && t == 40 ? last : t % 8], 1);
}
// launch: count --grid 128 --block 64 --arg int32[8]=0,… --arg int32=8
// status: cudaErrorIllegalAddress
// says: Thread (40,0,0) of block (77,0,0)
