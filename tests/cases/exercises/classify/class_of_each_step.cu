// expect: wrong 0
// hint: should be
extern "C" __global__ void classify(const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int s = 0; s < 12; ++s)
        v = v < -1 ? 0.75f * v + 1 : v < 1 ? 0.875f * v + 2 : 0.625f * v + 3;
    y[i] = v;
}
