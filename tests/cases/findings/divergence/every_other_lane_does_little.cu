// launch: work --grid 4 --block 64 --arg float32[256]=ones
// Short, but not for one lane, nor for neighbours: all even ones side by side would fill half as many warps.
__global__ void work(float* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0) data[i] += data[i + 1];  // expect: divergence Let whole warps take the same way
}
