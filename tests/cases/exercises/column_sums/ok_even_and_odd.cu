// expect: passed
extern "C" __global__ void column_sums(const float* a, float* sums, int rows, int columns)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < columns) {
        float even = 0, odd = 0;
        for (int r = 0; r < rows; r += 2) even += a[r * columns + c];
        for (int r = 1; r < rows; r += 2) odd += a[r * columns + c];
        sums[c] = even + odd;
    }
}
