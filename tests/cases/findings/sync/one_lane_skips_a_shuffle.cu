// launch: add --grid 1 --block 64 --arg int32[64]=iota
// status: cudaErrorLaunchTimeout
__global__ void add(int* data) {
  __shared__ int total;
  int t = threadIdx.x, v = data[t];
  if (t != 40) v += __shfl_xor_sync(0xffffffffu, v, 1);
  if (t == 0) total = v;
  __syncthreads();  // expect: sync while thread (32,0,0) waits elsewhere (line 6)
  data[t] = v + total;
}
