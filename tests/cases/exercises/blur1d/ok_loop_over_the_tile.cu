// expect: passed
extern "C" __global__ void blur1d(const float* in, float* out, int n)
{
    __shared__ float tile[130];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    for (int k = t; k < 130; k += 128) {
        const int j = blockIdx.x * 128 + k - 1;
        tile[k] = in[j < 0 ? 0 : j < n ? j : n - 1];
    }
    __syncthreads();
    if (i < n) out[i] = (tile[t + 1] + tile[t] + tile[t + 2]) / 3;
}
