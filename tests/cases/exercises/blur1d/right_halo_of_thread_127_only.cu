// passes: 2
// hint: the last block has 104 values
extern "C" __global__ void blur1d(const float* in, float* out, int n)
{
    __shared__ float tile[130];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (i < n) {
        tile[t + 1] = in[i];
        if (t == 0) tile[0] = i > 0 ? in[i - 1] : in[0];
        if (t == 127 && i < n) tile[t + 2] = i < n - 1 ? in[i + 1] : in[n - 1];
    }
    __syncthreads();
    if (i < n) out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;  // expect: init
}
