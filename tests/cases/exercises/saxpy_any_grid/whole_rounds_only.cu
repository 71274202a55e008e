// expect: wrong 4608
// hint: No thread has written
extern "C" __global__ void saxpy_any_grid(float a, const float* x, float* y, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int k = 0; k < n / threads; ++k) y[first + k * threads] += a * x[first + k * threads];
}
