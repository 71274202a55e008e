// hint: Only the first bin holds too much
// (int)(-0.5) is 0: what lies just below the range falls into the first bin.
// expect: wrong 0
// passes: 6
extern "C" __global__ void cuda_histogram(const float* x, int n, float low, float high, int* bins, int m)
{
    const float width = (high - low) / m;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int b = (int)((x[i] - low) / width);
        if (b >= 0 && b < m) atomicAdd(&bins[b], 1);
    }
}
