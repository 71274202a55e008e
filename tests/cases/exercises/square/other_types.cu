// expect: refused in is given float32[4096]
extern "C" __global__ void square(const double* in, double* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}
