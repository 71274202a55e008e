// expect: passed
extern "C" __global__ void literals(const float* in, float* out, float gain, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = fminf(fmaxf(gain * in[i], -1.5f), 1.5f);
    out[i] = v * (1 - v * v * 0.148148148f);
}
