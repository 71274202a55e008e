extern "C" __global__ void literals(
    const float* in, float* out, float gain, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    float v = gain * in[i];
    if (v > 1.5f) v = 1.5f;
    if (v < -1.5f) v = -1.5f;
    const float v2 = v * v;
    out[i] = v * (1.0f - v2 * (4.0f / 27.0f));
}
