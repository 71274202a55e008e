extern "C" __global__ void hypot_stride(
    const float* a, const float* b, float* c, int n)
{
    const int first = blockIdx.x * blockDim.x
                    + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += stride)
        c[i] = hypotf(a[i], b[i]);
}
