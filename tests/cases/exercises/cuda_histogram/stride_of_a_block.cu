// hint: have been counted twice
// Counts most values once for every block.
// expect: wrong 0
extern "C" __global__ void cuda_histogram(const float* x, int n, float low, float high, int* bins, int m)
{
    const float width = (high - low) / m;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) {
        const int b = floorf((x[i] - low) / width);
        if (b >= 0 && b < m) atomicAdd(&bins[b], 1);
    }
}
