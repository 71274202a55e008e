// One thread's second access through the same instruction is at no multiple of four.
extern "C" __global__ void odd(const char* data, int* out, int n) {
  if (threadIdx.x != 3) return;
#pragma unroll 1
  for (int k = 0; k < n; ++k) out[k] = *reinterpret_cast<const int*>(data + 5 * k);
}
// launch: odd --grid 1 --block 32 --arg uint8[64]=iota --arg int32[4]=0,… --arg int32=3
// status: cudaErrorMisalignedAddress
// says: Thread (3,0,0)
