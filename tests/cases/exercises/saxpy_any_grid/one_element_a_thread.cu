// expect: wrong 512
// hint: No thread has written
extern "C" __global__ void saxpy_any_grid(float a, const float* x, float* y, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    if (first < n) y[first] = a * x[first] + y[first];
    (void)threads;
}
