// The other way round: a thread has a bin and looks at every value.
// expect: passed
extern "C" __global__ void cuda_histogram(const float* x, int n, float low, float high, int* bins, int m)
{
    const double width = ((double)high - low) / m;
    for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < m; b += gridDim.x * blockDim.x) {
        int count = 0;
        for (int i = 0; i < n; ++i) {
            const double at = (x[i] - (double)low) / width;
            if (at >= b && at < b + 1) ++count;
        }
        bins[b] = count;
    }
}
