// expect: passed
__device__ int start(int row, int many, int few) { return row ? many + (row - 1) * few : 0; }

extern "C" __global__ void csr_rows(const float* value, const int* column, const float* x, float* y, int rows, int many, int few)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float part[1024];
    const int row = i / 32, lane = i % 32, t = threadIdx.x;
    float sum = 0;
    if (row < rows)
        for (int k = start(row, many, few) + lane; k < start(row + 1, many, few); k += 32) sum += value[k] * x[column[k]];
    part[t] = sum;
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        const float other = lane < half ? part[t + half] : 0;
        __syncthreads();
        part[t] += other;
        __syncthreads();
    }
    if (lane == 0 && row < rows) y[row] = part[t];
}
