// passes: 0
// hint: an element that its array does not have
extern "C" __global__ void blur1d(const float* in, float* out, int n)
{
    __shared__ float tile[130];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (i < n) tile[t + 1] = in[i];
    if (t == 0) tile[0] = in[i - 1];  // expect: memory
    if (t == 127) tile[129] = in[i + 1];
    __syncthreads();
    if (i < n) out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
}
