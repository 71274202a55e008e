// expect: refused no kernel named square, but squares(
extern "C" __global__ void squares(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}
