// Neighbouring values for each thread, in place of a stride.
// expect: passed
extern "C" __global__ void cuda_histogram(const float* x, int n, float low, float high, int* bins, int m)
{
    const int threads = gridDim.x * blockDim.x, share = (n + threads - 1) / threads;
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * share;
    for (int i = first; i < min(first + share, n); ++i)
        if (x[i] >= low && x[i] < high) atomicAdd(bins + (int)((x[i] - low) * m / (high - low)), 1);
}
