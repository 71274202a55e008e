// A negative float becomes 0 when it is made unsigned.
// expect: wrong 0
// passes: 6
// hint: Only the first bin holds too much
extern "C" __global__ void cuda_histogram(const float* x, int n, float low, float high, int* bins, int m)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned b = (x[i] - low) * m / (high - low);
        if (x[i] - low > -(high - low) && b < m) atomicAdd(&bins[b], 1);
    }
}
