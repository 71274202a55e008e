// expect: wrong 0
__device__ int start(int row, int many, int few) { return row ? many + (row - 1) * few : 0; }

extern "C" __global__ void csr_rows(const float* value, const int* column, const float* x, float* y, int rows, int many, int few)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = i / 32, lane = i % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int k = start(row, many, few) + lane; k < start(row + 1, many, few); k += 32) sum += value[k] * x[lane % rows];
    atomicAdd(&y[row], sum);
}
