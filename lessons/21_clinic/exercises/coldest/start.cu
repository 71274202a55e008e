// least[b] is to be the smallest value of block b:
// one value a thread, and none from n on.
extern "C" __global__ void coldest(
    const float* value, int n, float* least)
{
    extern __shared__ float s[];  // one a thread
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? value[i] : INFINITY;
    __syncthreads();
    int half = blockDim.x / 2;
    for (; half > 0; half /= 2) {
        if (t < half) s[t] = min(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0) least[blockIdx.x] = s[0];
}
