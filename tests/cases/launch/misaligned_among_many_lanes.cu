// In the third turn one of 24 lanes reads at no multiple of four.
extern "C" __global__ void odd(const char* data, int* out, int turns) {
  const int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < turns; ++k) out[t + 24 * k] = *reinterpret_cast<const int*>(data + 4 * t + (k == 2 && t == 20 ? 1 : 0));
}
// launch: odd --grid 1 --block 24 --arg uint8[128]=iota --arg int32[72]=0,… --arg int32=3
// status: cudaErrorMisalignedAddress
// says: Thread (20,0,0)
