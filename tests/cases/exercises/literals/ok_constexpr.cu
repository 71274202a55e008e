// expect: passed
extern "C" __global__ void literals(const float* in, float* out, float gain, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    constexpr float most = 1.5, share = 4.0 / 27.0;  // constants, worked out by the compiler
    if (i >= n) return;
    float v = gain * in[i];
    v = v > most ? most : v < -most ? -most : v;
    out[i] = v - share * v * v * v;
}
