// expect: passed
__device__ float from(const float* c, int left, float x, float v)
{
    return left == 0 ? v : from(c - 1, left - 1, x, v * x + c[-1]);
}
extern "C" __global__ void horner(const float* c, int degree, const float* x, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = from(c + degree, degree, x[i], c[degree]);
}
