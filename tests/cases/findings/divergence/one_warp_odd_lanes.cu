// launch: work --grid 1 --block 32 --arg float32[32]=ones --arg int32=20
__global__ void work(float* data, int n) {
  if (threadIdx.x % 2)  // expect: divergence
    for (int k = 0; k < n; ++k) data[threadIdx.x] = data[threadIdx.x] * 1.5f + 1;
}
