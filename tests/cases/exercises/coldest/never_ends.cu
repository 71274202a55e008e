// expect: too_slow
// passes: 0
extern "C" __global__ void coldest(const float* value, int n, float* least)
{
    extern __shared__ float s[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? value[i] : INFINITY;
    __syncthreads();
    for (int width = blockDim.x; width > 0;) {
        const int half = (width + 1) / 2;
        if (t < width / 2) s[t] = min(s[t], s[t + half]);
        __syncthreads();
        width = half;
    }
    if (t == 0) least[blockIdx.x] = s[0];
}
