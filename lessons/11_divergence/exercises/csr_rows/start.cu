// Row 0 has `many` values, each other row `few`.
__device__ int start(int row, int many, int few)
{
    return row ? many + (row - 1) * few : 0;
}

// y = A x. Each row has a warp, but lane 0 adds
// the whole row.
extern "C" __global__ void csr_rows(
    const float* value, const int* column,
    const float* x, float* y,
    int rows, int many, int few)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    const int row = i / 32, lane = i % 32;
    if (row >= rows || lane > 0) return;
    const int end = start(row + 1, many, few);
    float sum = 0;
    int k = start(row, many, few);
    for (; k < end; ++k)
        sum += value[k] * x[column[k]];
    atomicAdd(&y[row], sum);
}
