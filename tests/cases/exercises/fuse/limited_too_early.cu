// expect: wrong 2
// hint: should be
extern "C" __global__ void fuse(const float* in, float* out, float low, float scale, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float t = in[i] - low;
    t = fminf(fmaxf(t, 0.0f), 1.0f);
    out[i] = t * scale;
}
