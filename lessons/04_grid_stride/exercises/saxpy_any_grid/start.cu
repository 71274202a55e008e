// y[i] is to become a * x[i] + y[i], for all n
// elements, whatever the grid is.
extern "C" __global__ void saxpy_any_grid(
    float a, const float* x, float* y, int n)
{
    const int i = threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
