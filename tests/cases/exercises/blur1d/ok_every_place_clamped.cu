// Threads without a value fill the tile, too, and the sum is multiplied by a third.
// expect: passed
extern "C" __global__ void blur1d(const float* in, float* out, int n)
{
    __shared__ float tile[130];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    tile[t + 1] = in[min(i, n - 1)];
    if (t < 2) tile[129 * t] = in[max(0, min(i + 128 * t - 1, n - 1))];
    __syncthreads();
    if (i < n) out[i] = (1.0f / 3) * (tile[t + 2] + tile[t] + tile[t + 1]);
}
