// launch: spread --grid 4 --block 32 --arg int32[128]=iota
__global__ void spread(int* data) {
  __shared__ int tile[64];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  tile[2 * t] = data[i];  // expect: banks shared neighbouring lanes access neighbouring elements
  __syncwarp();
  int v = tile[2 * (31 - t)];  // expect: banks shared not: Pad the rows
  data[i] = v;
}
