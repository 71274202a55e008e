// launch: work --grid 4 --block 64 --arg float32[256]=ones --arg int32=20
// Short and side by side, but in a loop.
__global__ void work(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    if (i % 32 < 16) data[i] += 1;  // expect: divergence
    __syncwarp();
  }
}
