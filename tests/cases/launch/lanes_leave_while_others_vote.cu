// A loop is left by one lane after the other; those that stay go on voting without it.
extern "C" __global__ void rounds(int* out) {
  const int lane = threadIdx.x;
  int voters = 0;
#pragma unroll 4
  for (int k = 0; k < lane; ++k) voters += __popc(__ballot_sync(0xffffffffu, true));
  out[lane] = voters;
}
// launch: rounds --grid 1 --block 8 --arg int32[8]=-1,…
// expect: arg 0 = 0 7 13 18 22 25 27 28
