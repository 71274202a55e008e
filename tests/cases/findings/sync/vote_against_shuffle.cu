// Both sides of a branch call for the whole warp, but not for the same thing.
// launch: muddle --grid 1 --block 32 --arg int32[32]=iota
// status: cudaErrorLaunchTimeout
__global__ void muddle(int* data) {
  int t = threadIdx.x, v = data[t];
  if (t < 16)
    v = __shfl_xor_sync(0xffffffffu, v, 16);  // perhaps the other one is told: expect: perhaps sync
  else
    v = __ballot_sync(0xffffffffu, v > 3);  // expect: perhaps sync
  data[t] = v;
}
