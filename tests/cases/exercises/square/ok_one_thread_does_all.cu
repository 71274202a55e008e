// The wrong idea, with the right result.
// expect: passed
extern "C" __global__ void square(const float* in, float* out, int n)
{
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    for (int i = 0; i < n; ++i) out[i] = in[i] * in[i];
}
