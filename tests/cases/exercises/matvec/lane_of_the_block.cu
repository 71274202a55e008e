// expect: wrong 1
// hint: No thread has stored y[1]
// writer: no thread
// The lane is counted in the block: only the first warp of each block has lanes 0 to 31.
extern "C" __global__ void matvec(
    const float* a, const float* x, float* y,
    int rows, int columns)
{
    const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int c = lane; c < columns; c += 32)
        sum += a[r * columns + c] * x[c];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[r] = sum;
}
