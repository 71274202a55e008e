// passes: 0
extern "C" __global__ void blur1d(const float* in, float* out, int n)
{
    __shared__ float tile[130];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 128 + t;
    tile[t] = in[i];
    __syncthreads();
    out[i] = (tile[t - 1] + tile[t] + tile[t + 1]) / 3;  // expect: init
}
