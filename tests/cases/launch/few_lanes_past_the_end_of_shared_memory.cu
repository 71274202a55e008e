// In the third turn four of eight lanes write past the end of shared memory.
extern "C" __global__ void past(int* out, int turns) {
  __shared__ int slots[20];
  const int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < turns; ++k) slots[t + 8 * k] = k;
  out[t] = slots[t];
}
// launch: past --grid 1 --block 8 --arg int32[8]=0,… --arg int32=3
// status: cudaErrorIllegalAddress
// says: Thread (4,0,0)
