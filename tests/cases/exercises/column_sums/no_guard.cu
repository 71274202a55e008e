// hint: does not have
// passes: 1
extern "C" __global__ void column_sums(const float* a, float* sums, int rows, int columns)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rows; ++r) sum += a[r * columns + c];  // expect: memory
    sums[c] = sum;
}
