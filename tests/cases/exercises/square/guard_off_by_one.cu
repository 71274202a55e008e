// hint: Only one element is missing: out[4095]
// passes: 0
extern "C" __global__ void square(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) out[i] = in[i] * in[i];
}
// expect: wrong 4095
