// expect: passed
extern "C" __global__ void slope(const float* height, float* slope, int n)
{
    extern __shared__ float s[];
    const int t = threadIdx.x, last = blockDim.x - 1, i = blockIdx.x * blockDim.x + t;
    s[t] = height[min(i, n - 1)];
    __syncthreads();
    if (i >= n) return;
    const float left = t > 0 ? s[t - 1] : height[max(i - 1, 0)];
    const float right = t < last ? s[t + 1] : height[min(i + 1, n - 1)];
    slope[i] = (right - left) / 2;
}
