// A pointer goes on from turn to turn; in the second turn the last four threads write behind the array's 124 elements.
extern "C" __global__ void fill(int* a, int turns) {
  int* at = a + threadIdx.x;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn, at += 64) *at = turn;
}
// launch: fill --grid 1 --block 64 --arg int32[124]=0,… --arg int32=2
// status: cudaErrorIllegalAddress
// says: Thread (60,0,0) of block (0,0,0)
