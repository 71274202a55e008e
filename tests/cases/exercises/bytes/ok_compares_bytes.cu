// expect: passed
extern "C" __global__ void halve(const float* in, float* out, int bytes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((i + 1) * sizeof(*in) <= bytes) out[i] = in[i] * 0.5f;
}
