// hint: Two threads have written the same element
extern "C" __global__ void saxpy_any_grid(float a, const float* x, float* y, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += blockDim.x) y[i] = a * x[i] + y[i];  // expect: race
    (void)threads;
}
