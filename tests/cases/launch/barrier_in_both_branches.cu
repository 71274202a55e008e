// Each warp has a barrier of its own to come to; they meet there, and go on from different places.
extern "C" __global__ void two_ways(int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t < 32) {
    tile[t] = t;
    __syncthreads();
    out[t] = tile[t + 32] / 3 - 32;
  } else {
    tile[t] = 3 * t;
    __syncthreads();
    for (int n = 0; n < 3; ++n) out[n * 32 + t] = tile[t - 32] + 32 * (n + 1);
  }
}
// launch: two_ways --grid 1 --block 64 --arg int32[128]=0,…
// expect: arg 0 = iota
