// launch: weigh --grid 4 --block 32 --arg float64[128]=iota
// expect: clean
__global__ void weigh(double* data) {
  __shared__ double tile[32];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  tile[t] = data[i];
  __syncwarp();
  data[i] = tile[31 - t] + tile[0];
}
