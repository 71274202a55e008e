// passes: 3
// hint: one comparison goes further
extern "C" __global__ void coldest(const float* value, int n, float* least)
{
    extern __shared__ float s[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? value[i] : INFINITY;
    __syncthreads();
    for (int width = blockDim.x; width > 1;) {
        const int half = (width + 1) / 2;
        if (t < half) s[t] = min(s[t], s[t + half]);  // expect: memory
        __syncthreads();
        width = half;
    }
    if (t == 0) least[blockIdx.x] = s[0];
}
