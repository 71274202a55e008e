extern "C" __global__ void cuda_histogram(const float* x, int n, float low, float high, int* bins, int m)
{
    const float width = (high - low) / m;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int b = floorf((x[i] - low) / width);
        atomicAdd(&bins[b], 1);  // expect: memory
    }
}
// passes: 5
