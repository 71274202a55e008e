// expect: wrong 0
// hint: wrong power of x
__device__ float polynomial(const float* c, int degree, float x)
{
    float v = c[degree];
    for (int k = degree - 1; k > 0; --k) v = v * x + c[k];
    return v;
}
extern "C" __global__ void horner(const float* c, int degree, const float* x, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = polynomial(c, degree, x[i]);
}
