// expect: wrong 0
// hint: No thread has stored
// writer: no thread
__device__ void polynomial(const float* c, int degree, float x, float out)
{
    float v = c[degree];
    for (int k = degree - 1; k >= 0; --k) v = v * x + c[k];
    out = v;
}
extern "C" __global__ void horner(const float* c, int degree, const float* x, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) polynomial(c, degree, x[i], out[i]);
}
