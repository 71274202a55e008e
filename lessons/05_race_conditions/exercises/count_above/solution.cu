extern "C" __global__ void count_above(
    const float* values, float limit, int* count,
    int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i < n && values[i] > limit)
        atomicAdd(&count[0], 1);
}
