// launch: sum --grid 2 --block 64 --arg float32[128]=ones --arg float32[1]=zeros
// expect: clean
__global__ void sum(const float* in, float* out) {
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int s = 16; s > 0; s /= 2) v += __shfl_down_sync(0xffffffff, v, s);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
