// expect: wrong 1024
// hint: No thread has written
extern "C" __global__ void hypot_stride(const float* a, const float* b, float* c, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    if (first < n) c[first] = hypotf(a[first], b[first]);
}
