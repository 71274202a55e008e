// hint: far apart
extern "C" __global__ void matvec(const float* a, const float* x, float* y, int rows, int columns)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x, r = me / 32, lane = me % 32;
    if (r >= rows) return;
    const int each = (columns + 31) / 32;
    float sum = 0;
    for (int c = lane * each; c < (lane + 1) * each && c < columns; ++c)
        sum += a[r * columns + c] * x[c];  // expect: over_limit sectors
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[r] = sum;
}
