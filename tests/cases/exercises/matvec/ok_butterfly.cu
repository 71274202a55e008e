// expect: passed
extern "C" __global__ void matvec(const float* a, const float* x, float* y, int rows, int columns)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x, r = me / 32, lane = me % 32;
    if (r >= rows) return;
    float sum = 0;
    for (int c = lane; c < columns; c += 32) sum += a[r * columns + c] * x[c];
    for (int d = 1; d < 32; d *= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[r] = sum;
}
