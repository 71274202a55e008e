// Both sides of a branch call for the whole warp, but not for the same thing.
// launch: muddle --grid 1 --block 32 --arg int32[32]=iota
// status: cudaErrorLaunchTimeout
__global__ void muddle(int* data) {
  int t = threadIdx.x, v = data[t], got;
  if (t < 16) { got = __shfl_xor_sync(0xffffffffu, v, 16); } else { got = __ballot_sync(0xffffffffu, v > 3); }  // expect: sync which wait elsewhere and do not arrive there
  data[t] = got;
}
