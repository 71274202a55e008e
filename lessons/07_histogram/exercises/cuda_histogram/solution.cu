extern "C" __global__ void cuda_histogram(
    const float* x, int n, float low, float high,
    int* bins, int m)
{
    const float width = (high - low) / m;
    const int stride = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += stride) {
        const int b = floorf((x[i] - low) / width);
        if (b >= 0 && b < m) atomicAdd(&bins[b], 1);
    }
}
