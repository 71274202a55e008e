// expect: passed
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    if (threadIdx.x > 0) return;
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x; i < min((blockIdx.x + 1) * blockDim.x, n); ++i) sum += x[i];
    sums[blockIdx.x] = sum;
}
