// hint: more instructions
extern "C" __global__ void horner(const float* c, int degree, const float* x, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k <= degree; ++k) sum += c[k] * powf(x[i], (float)k);  // expect: over_limit instructions
    out[i] = sum;
}
