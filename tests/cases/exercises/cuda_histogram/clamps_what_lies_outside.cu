// expect: wrong 0
// hint: they must not be counted
extern "C" __global__ void cuda_histogram(const float* x, int n, float low, float high, int* bins, int m)
{
    const float width = (high - low) / m;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int b = floorf((x[i] - low) / width);
        atomicAdd(&bins[min(max(b, 0), m - 1)], 1);
    }
}
