// hint: still computed in float64
extern "C" __global__ void literals(const float* in, float* out, float gain, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = gain * in[i];
    v = fmin(fmax((double)v, -1.5), 1.5);  // expect: over_limit float64_instructions
    const float v2 = v * v;
    out[i] = v * (1.0f - v2 * (4.0f / 27.0f));
}
