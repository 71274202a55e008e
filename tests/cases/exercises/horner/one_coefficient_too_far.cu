// hint: does not have
__device__ float polynomial(const float* c, int degree, float x)
{
    float v = 0;
    for (int k = degree + 1; k >= 0; --k) v = v * x + c[k];  // expect: memory
    return v;
}
extern "C" __global__ void horner(const float* c, int degree, const float* x, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = polynomial(c, degree, x[i]);
}
