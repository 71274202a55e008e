// expect: refused square(const float* in, float* out)
extern "C" __global__ void square(const float* in, float* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * in[i];
}
