// Thread 0 alone reads tile[0], and thread 127 alone reads tile[129], so they may fill them after the barrier.
// expect: passed
extern "C" __global__ void blur1d(const float* in, float* out, int n)
{
    __shared__ float tile[130];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 128 + t;
    tile[t + 1] = in[min(i, n - 1)];
    __syncthreads();
    if (t == 0) tile[0] = in[max(i - 1, 0)];
    if (t == 127) tile[129] = in[min(i + 1, n - 1)];
    if (i < n) out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
}
