// expect: over_limit time
// told: by the model of the T4
// hint: much longer than it has to
__device__ int start(int row, int many, int few) { return row ? many + (row - 1) * few : 0; }

extern "C" __global__ void csr_rows(const float* value, const int* column, const float* x, float* y, int rows, int many, int few)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = i / 32, lane = i % 32;
    if (row >= rows) return;
    if (lane == 0) {
        float sum = 0;
        for (int k = start(row, many, few); k < start(row + 1, many, few); ++k) sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}
