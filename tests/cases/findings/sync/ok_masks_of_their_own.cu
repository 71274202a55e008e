// The halves of a warp each name their own lanes in the same calls: nobody is left out, nobody missing.
// launch: halves --grid 1 --block 32 --arg int32[32]=iota
// expect: clean
__global__ void halves(int* data) {
  const int lane = threadIdx.x;
  const unsigned mask = 0xffffu << (lane & 16);
  __shared__ int tile[32];
  tile[lane] = data[lane];
  __syncwarp(mask);
  int sum = tile[lane ^ 15];
  for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(mask, sum, step);
  data[lane] = __any_sync(mask, sum == lane) ? sum : -sum;
}
