// One lane of 32 has no array and reads the word before it, the very last of all addresses; the others read their arrays.
extern "C" __global__ void before(const int* data, int* out, int lane, unsigned long long none) {
  const int t = threadIdx.x;
  const auto mine = t == lane ? none : (unsigned long long)(data + t + 1);
  out[t] = ((const int*)mine)[-1];
}
// launch: before --grid 1 --block 32 --arg int32[32]=iota --arg int32[32]=0,… --arg int32=31 --arg uint64=0
// status: cudaErrorIllegalAddress
// says: Thread (31,0,0)
