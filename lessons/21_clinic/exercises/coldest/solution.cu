extern "C" __global__ void coldest(
    const float* value, int n, float* least)
{
    extern __shared__ float s[];  // one a thread
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? value[i] : INFINITY;
    __syncthreads();
    for (int width = blockDim.x; width > 1;) {
        const int half = (width + 1) / 2;
        if (t < width / 2)
            s[t] = min(s[t], s[t + half]);
        __syncthreads();
        width = half;
    }
    if (t == 0) least[blockIdx.x] = s[0];
}
