// The wrong idea, with the right result.
// expect: passed
extern "C" __global__ void count_above(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0) return;
    for (int k = 0; k < n; ++k)
        if (values[k] > limit) count[0] += 1;
}
