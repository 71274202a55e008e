// passes: 0
// hint: a place of the tile that no thread has filled
extern "C" __global__ void blur1d(const float* in, float* out, int n)
{
    __shared__ float tile[130];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (i < n) tile[t + 1] = in[i];
    __syncthreads();
    if (i < n) out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;  // expect: init
}
