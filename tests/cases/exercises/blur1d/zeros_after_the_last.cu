// passes: 2
// expect: wrong 999
// hint: the last block has 104 values
extern "C" __global__ void blur1d(const float* in, float* out, int n)
{
    __shared__ float tile[130];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    tile[t + 1] = i < n ? in[i] : 0;
    if (t == 0) tile[0] = in[max(i - 1, 0)];
    if (t == 127) tile[129] = in[min(i + 1, n - 1)];
    __syncthreads();
    if (i < n) out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
}
