// hint: does not have
extern "C" __global__ void literals(const float* in, float* out, float gain, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = gain * in[i];  // expect: memory
    if (v > 1.5f) v = 1.5f;
    if (v < -1.5f) v = -1.5f;
    out[i] = v * (1.0f - v * v * (4.0f / 27.0f));
}
