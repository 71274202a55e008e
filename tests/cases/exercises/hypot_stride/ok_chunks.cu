// expect: passed
extern "C" __global__ void hypot_stride(const float* a, const float* b, float* c, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x, chunk = (n + threads - 1) / threads;
    for (int i = first * chunk; i < n && i < (first + 1) * chunk; ++i) c[i] = hypotf(a[i], b[i]);
}
