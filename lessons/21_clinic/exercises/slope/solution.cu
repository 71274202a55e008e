extern "C" __global__ void slope(
    const float* height, float* slope, int n)
{
    extern __shared__ float s[];  // one a thread
    const int t = threadIdx.x;
    const int last = blockDim.x - 1;
    const int i = blockIdx.x * blockDim.x + t;
    if (i < n) s[t] = height[i];
    __syncthreads();
    if (i < n) {
        const int l = max(i - 1, 0);
        const int r = min(i + 1, n - 1);
        const float left =
            t > 0 ? s[t - 1] : height[l];
        const bool inside = t < last && i + 1 < n;
        const float right =
            inside ? s[t + 1] : height[r];
        slope[i] = (right - left) / 2;
    }
}
