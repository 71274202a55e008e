// In the third turn four of eight lanes are past the array's end.
extern "C" __global__ void past(const int* data, int* out, int turns) {
  const int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < turns; ++k) out[t] += data[t + 8 * k];
}
// launch: past --grid 1 --block 8 --arg int32[20]=iota --arg int32[8]=0,… --arg int32=3
// status: cudaErrorIllegalAddress
// says: Thread (4,0,0)
