// launch: columns --grid 8 --block 32 --arg float32[32]=zeros --arg float32[256]=ones
// The index lacks the block on purpose: every block adds a row of its own.
__global__ void columns(float* sums, const float* rows) {
  sums[threadIdx.x] += rows[blockIdx.x * blockDim.x + threadIdx.x];  // expect: race global Use an atomic such as atomicAdd
}
