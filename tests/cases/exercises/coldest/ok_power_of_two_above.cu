// expect: passed
extern "C" __global__ void coldest(const float* value, int n, float* least)
{
    extern __shared__ float s[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? value[i] : INFINITY;
    __syncthreads();
    for (int half = 512; half > 0; half /= 2) {
        if (t < half && t + half < blockDim.x) s[t] = min(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0) least[blockIdx.x] = s[0];
}
