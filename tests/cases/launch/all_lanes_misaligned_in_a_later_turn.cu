// A pointer goes on by a number of bytes that is no multiple of four: in the second turn no lane's address is one.
extern "C" __global__ void fill(int* a, int turns) {
  char* at = (char*)(a + threadIdx.x);
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn, at += 258) *(int*)at = turn;
}
// launch: fill --grid 1 --block 32 --arg int32[256]=0,… --arg int32=2
// status: cudaErrorMisalignedAddress
// says: Thread (0,0,0) of block (0,0,0)
