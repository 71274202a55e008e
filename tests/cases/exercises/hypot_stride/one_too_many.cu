// hint: that the arrays do not have
extern "C" __global__ void hypot_stride(const float* a, const float* b, float* c, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i <= n; i += gridDim.x * blockDim.x) c[i] = hypotf(a[i], b[i]);  // expect: memory
}
