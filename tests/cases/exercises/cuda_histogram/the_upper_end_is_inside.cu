// hint: The last bin holds too much
// passes: 6
extern "C" __global__ void cuda_histogram(const float* x, int n, float low, float high, int* bins, int m)
{
    const float width = (high - low) / m;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (x[i] < low || x[i] > high) continue;
        atomicAdd(&bins[min((int)((x[i] - low) / width), m - 1)], 1);
    }
}
// expect: wrong 7
