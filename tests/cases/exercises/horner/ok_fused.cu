// expect: passed
__device__ void add(float& v, float x, float c) { v = fmaf(v, x, c); }
extern "C" __global__ void horner(const float* c, int degree, const float* x, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = 0;
    for (int k = degree; k >= 0; --k) add(v, x[i], c[k]);
    out[i] = v;
}
