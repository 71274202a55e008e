// One lane leaves its neighbour out of the mask, so that the others wait for it with a mask that it does not have.
// launch: vote --grid 1 --block 32 --arg int32[32]=iota
// status: cudaErrorLaunchTimeout
__global__ void vote(int* data) {
  int t = threadIdx.x;
  unsigned mask = t == 5 ? 0xffffffbfu : 0xffffffffu;
  data[t] = __ballot_sync(mask, data[t] > 3);  // expect: sync with the mask 0xffffffff
}
