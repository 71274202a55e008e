// The first lane stores at no multiple of four, the last ones past the end: each is told for what it is, the first lane's first.
extern "C" __global__ void mixed(int* data) {
  const int t = threadIdx.x;
  *reinterpret_cast<int*>(reinterpret_cast<char*>(data) + (t == 0 ? 1 : 4 * t)) = t;
}
// launch: mixed --grid 1 --block 32 --arg int32[20]=0,…
// status: cudaErrorMisalignedAddress
// says: Thread (0,0,0) of block (0,0,0) writes 4 bytes
