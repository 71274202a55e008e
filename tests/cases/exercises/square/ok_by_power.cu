// By way of a device function, in another type.
// expect: passed
__device__ double squared(double x) { return x * x; }
extern "C" __global__ void square(const float* in, float* out, int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (unsigned int)n) out[i] = (float)squared(in[i]);
}
