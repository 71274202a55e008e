// hint: `in` is only to be read
// passes: 0
// expect: wrong 0
extern "C" __global__ void square(float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    in[i] *= in[i];
    out[i] = in[i];
}
