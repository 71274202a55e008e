// expect: wrong 0
// hint: but with another number
extern "C" __global__ void saxpy_any_grid(float a, const float* x, float* y, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += threads) y[i] = a * x[i];
}
