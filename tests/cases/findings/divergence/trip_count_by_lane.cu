// launch: work --grid 4 --block 64 --arg float32[256]=ones
__global__ void work(float* data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = data[i];
#pragma unroll 1
  for (int k = 0; k < i % 4; ++k) v = sqrtf(v) + 2;  // expect: divergence
  data[i] = v;
}
