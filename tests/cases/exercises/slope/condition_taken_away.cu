// passes: 1
// hint: more threads than there are heights left
extern "C" __global__ void slope(const float* height, float* slope, int n)
{
    extern __shared__ float s[];
    const int t = threadIdx.x, last = blockDim.x - 1, i = blockIdx.x * blockDim.x + t;
    s[t] = height[i];  // expect: memory
    __syncthreads();
    const float left = t > 0 ? s[t - 1] : height[max(i - 1, 0)];
    const float right = t < last && i + 1 < n ? s[t + 1] : height[min(i + 1, n - 1)];
    slope[i] = (right - left) / 2;
}
