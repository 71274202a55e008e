// out[i] = c[0] + c[1] x + c[2] x^2 + ... for x[i].
// It is right, but every power begins again: degree
// 8 takes 45 multiplications where 8 are enough.
__device__ float power(float x, int k)
{
    float p = 1;
    for (int j = 0; j < k; ++j) p *= x;
    return p;
}

extern "C" __global__ void horner(
    const float* c, int degree,
    const float* x, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k <= degree; ++k)
        sum += c[k] * power(x[i], k);
    out[i] = sum;
}
