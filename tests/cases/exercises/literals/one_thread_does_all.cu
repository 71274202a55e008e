// expect: over_limit time
// hint: takes longer than it has to
extern "C" __global__ void literals(const float* in, float* out, float gain, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0) return;
    for (int k = 0; k < n; ++k) {
        float v = gain * in[k];
        if (v > 1.5f) v = 1.5f;
        if (v < -1.5f) v = -1.5f;
        out[k] = v * (1.0f - v * v * (4.0f / 27.0f));
    }
}
