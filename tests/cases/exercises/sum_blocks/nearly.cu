// Off by one part in ten thousand: more than rounding does.
// expect: wrong 0
// passes: 0
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    if (threadIdx.x > 0) return;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x; i < min((blockIdx.x + 1) * blockDim.x, n); ++i) sum += x[i];
    sums[blockIdx.x] = sum * 1.0001f;
}
