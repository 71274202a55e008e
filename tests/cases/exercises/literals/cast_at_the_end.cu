// hint: still computed in float64
// told: double precision
extern "C" __global__ void literals(const float* in, float* out, float gain, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = gain * in[i];
    if (v > 1.5) v = 1.5;
    if (v < -1.5) v = -1.5;
    out[i] = (float)(v * (1.0 - v * v * (4.0 / 27.0)));  // expect: over_limit float64_instructions
}
