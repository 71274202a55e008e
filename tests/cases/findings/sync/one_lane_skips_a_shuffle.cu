// launch: add --grid 1 --block 64 --arg int32[64]=iota
// status: cudaErrorLaunchTimeout
__global__ void add(int* data) {
  __shared__ int total;
  int t = threadIdx.x, v = data[t];
  if (t != 40) v += __shfl_xor_sync(0xffffffffu, v, 1);  // expect: perhaps sync
  if (t == 0) total = v;
  __syncthreads();  // expect: perhaps sync
  data[t] = v + total;
}
