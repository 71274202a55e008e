extern "C" __global__ void saxpy_any_grid(
    float a, const float* x, float* y, int n)
{
    const int first = blockIdx.x * blockDim.x
                    + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}
