// expect: wrong 0
// writer: no thread
// hint: has not stored anything
extern "C" __global__ void fuse(const float* in, float* out, float low, float scale, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float t = (in[i] - low) * scale;
    if (t >= 0 && t <= 1) out[i] = t;
}
