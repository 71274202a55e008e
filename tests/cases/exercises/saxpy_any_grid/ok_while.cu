// expect: passed
extern "C" __global__ void saxpy_any_grid(float a, const float* x, float* y, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    int i = first;
    while (i < n) {
        y[i] += a * x[i];
        i += threads;
    }
}
