// y = a * x. It is right, but neighbouring lanes
// read elements that are a row apart.
extern "C" __global__ void matvec(
    const float* a, const float* x, float* y,
    int rows, int columns)
{
    const int r = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int c = 0; c < columns; ++c)
        sum += a[r * columns + c] * x[c];
    y[r] = sum;
}
