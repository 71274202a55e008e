extern "C" __global__ void matvec(
    const float* a, const float* x, float* y,
    int rows, int columns)
{
    const int me = blockIdx.x * blockDim.x
                 + threadIdx.x;
    const int r = me / 32, lane = me % 32;
    if (r >= rows) return;  // a whole warp
    float sum = 0;
    for (int c = lane; c < columns; c += 32)
        sum += a[r * columns + c] * x[c];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[r] = sum;
}
