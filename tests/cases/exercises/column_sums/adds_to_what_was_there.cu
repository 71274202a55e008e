// expect: wrong 0
// hint: not the sum
extern "C" __global__ void column_sums(const float* a, float* sums, int rows, int columns)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    for (int r = 0; r < rows; ++r) sums[c] += a[r * columns + c];
}
