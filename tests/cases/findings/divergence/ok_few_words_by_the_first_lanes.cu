// launch: rows --grid 4 --block 64 --arg float32[64]=ones --arg float32[256]=zeros
// expect: clean
// Once a block, some neighbouring lanes fetch what all need.
__global__ void rows(const float* in, float* out) {
  __shared__ float few[6];
  if (threadIdx.x < 6) few[threadIdx.x] = in[threadIdx.x] * 2;
  if (threadIdx.x >= 60) out[blockIdx.x * 64 + threadIdx.x] = -1;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] += few[threadIdx.x % 6];
}
