// launch: smooth --grid 3 --block 64 --arg float32[192]=iota --arg float32[190]=zeros --arg int32=190
// The threads that the guard sends home must come to the barrier, too, so it belongs before the guard.
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float tile[66];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t + 1] = in[i];  // expect: race shared Perhaps not every thread comes to line 9, which stands in a branch, in a loop or behind a return
  if (t == 0) tile[0] = tile[65] = in[i];  // expect: race shared
  if (i >= n) return;
  out[i] = tile[t] + tile[t + 2];  // expect: perhaps init shared
}
