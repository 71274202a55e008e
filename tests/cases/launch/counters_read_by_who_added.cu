// A thread sees its own additions at once, although others may see them later.
extern "C" __global__ void own(int* c, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&c[i], 1);
  const int one = c[i];
  atomicAdd(&c[i], 2);
  out[i] = 10 * one + c[i];
}
// launch: own --grid 1024 --block 64 --arg int32[65536]=0,… --arg int32[65536]=0,…
// expect: arg 0 = 3 …
// expect: arg 1 = 13 …
