// launch: sum --grid 4 --block 64 --arg int32[256]=ones --arg int32[1]=zeros --arg int32[1]=zeros --arg int32[1]=zeros
// An atomic and a plain read, with a ticket between them.
__global__ void sum(const int* in, int* all, unsigned* done, int* total) {
  int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (threadIdx.x != 0) return;
  atomicAdd(all, mine);
  if (atomicInc(done, gridDim.x) != gridDim.x - 1) return;
  total[0] = all[0];  // expect: race global Call __threadfence() between line 6 and line 7, and again between line 7 and line 8.
}
