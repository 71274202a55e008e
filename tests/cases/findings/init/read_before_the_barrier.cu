// launch: pairs --grid 1 --block 128 --arg float32[128]=iota --arg float32[64]=zeros
// Every place is filled, but by threads of a warp that comes later.
__global__ void pairs(const float* in, float* out) {
  __shared__ float part[128];
  const int t = threadIdx.x;
  part[t] = in[t];                                  // expect: race shared
  if (t < 64) out[t] = part[t] + part[127 - t];     // expect: perhaps init shared Put __syncthreads() between line 6 and line 7
}
