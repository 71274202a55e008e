// expect: wrong 0
// passes: 1
extern "C" __global__ void literals(const float* in, float* out, float gain, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = gain * in[i];
    if (v > 1) v = 1;
    if (v < -1) v = -1;
    const float v2 = v * v;
    out[i] = v * (1 - v2 * (4.0f / 27.0f));
}
