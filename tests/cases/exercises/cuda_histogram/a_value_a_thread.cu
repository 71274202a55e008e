// hint: Some values have not been counted
// expect: wrong 1
extern "C" __global__ void cuda_histogram(const float* x, int n, float low, float high, int* bins, int m)
{
    const float width = (high - low) / m;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int b = floorf((x[i] - low) / width);
    if (b >= 0 && b < m) atomicAdd(&bins[b], 1);
}
