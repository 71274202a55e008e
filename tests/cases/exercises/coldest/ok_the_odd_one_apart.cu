// expect: passed
extern "C" __global__ void coldest(const float* value, int n, float* least)
{
    extern __shared__ float s[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? value[i] : INFINITY;
    __syncthreads();
    for (int width = blockDim.x; width > 1; width /= 2) {
        if (t < width / 2) s[t] = min(s[t], s[t + width / 2]);
        if (t == 0 && width % 2 == 1) s[0] = min(s[0], s[width - 1]);
        __syncthreads();
    }
    if (t == 0) least[blockIdx.x] = s[0];
}
