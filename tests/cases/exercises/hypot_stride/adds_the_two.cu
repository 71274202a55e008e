// expect: wrong 0
// hint: but with another number
extern "C" __global__ void hypot_stride(const float* a, const float* b, float* c, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
