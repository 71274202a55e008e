// launch: sums --grid 4 --block 64 --arg float32[256]=ones --arg float32[8]=zeros
// One lane, but a long way of its own, on which 31 wait.
__global__ void sums(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 32 == 0) {  // expect: divergence share its work among them
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 32; ++k) sum += in[i + k];
    out[i / 32] = sum;
  }
}
