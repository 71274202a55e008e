// launch: sums --grid 2 --block 64 --arg float32[128]=iota --arg float32[4]=zeros
__global__ void sums(const float* in, float* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    out[i / 32] = sum;  // expect: race global or, where they store one result of the warp, one lane should store it
}
