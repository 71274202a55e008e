// The digits after the decimal point are lost.
// expect: wrong 0
// passes: 0
extern "C" __global__ void square(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int x = in[i];
    out[i] = x * x;
}
