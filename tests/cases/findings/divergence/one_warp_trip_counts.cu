// launch: work --grid 1 --block 32 --arg float32[32]=ones
__global__ void work(float* data) {
  float v = data[threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < threadIdx.x; ++k) v = sqrtf(v) + 2;  // expect: divergence
  data[threadIdx.x] = v;
}
