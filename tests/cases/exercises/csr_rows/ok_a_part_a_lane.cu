// expect: passed
__device__ int start(int row, int many, int few) { return row ? many + (row - 1) * few : 0; }
extern "C" __global__ void csr_rows(const float* value, const int* column, const float* x, float* y, int rows, int many, int few)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = i / 32, lane = i % 32;
    if (row >= rows) return;
    const int a = start(row, many, few), e = start(row + 1, many, few), c = (e - a + 31) / 32;
    float sum = 0;
    for (int k = a + lane * c; k < min(e, a + lane * c + c); ++k) sum += value[k] * x[column[k]];
    atomicAdd(&y[row], sum);
}
