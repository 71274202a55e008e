// launch: spread --grid 4 --block 32 --arg int32[128]=iota
// expect: clean
__global__ void spread(int* data) {
  __shared__ int tile[66];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  tile[2 * t + 2 * t / 32] = data[i];
  __syncwarp();
  int v = tile[2 * (31 - t) + 2 * (31 - t) / 32];
  data[i] = v;
}
