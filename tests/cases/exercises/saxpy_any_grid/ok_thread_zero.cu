// expect: passed
extern "C" __global__ void saxpy_any_grid(float a, const float* x, float* y, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    if (first > 0) return;
    for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
    (void)threads;
}
