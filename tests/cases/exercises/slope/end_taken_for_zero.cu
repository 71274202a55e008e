// expect: wrong 0
// passes: 1
// hint: not the barrier
extern "C" __global__ void slope(const float* height, float* slope, int n)
{
    extern __shared__ float s[];
    const int t = threadIdx.x, last = blockDim.x - 1, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? height[i] : 0;
    __syncthreads();
    if (i >= n) return;
    const float left = t > 0 ? s[t - 1] : i > 0 ? height[i - 1] : 0;
    const float right = t < last ? s[t + 1] : i + 1 < n ? height[i + 1] : 0;
    slope[i] = (right - left) / 2;
}
