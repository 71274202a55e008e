// hint: lanes of one warp go different ways
extern "C" __global__ void classify(const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float first = x[i];
    float v = first;
    if (first < -1)  // expect: divergence
        for (int s = 0; s < 12; ++s) v = 0.75f * v + 1;
    if (first >= -1 && first < 1)
        for (int s = 0; s < 12; ++s) v = 0.875f * v + 2;
    if (first >= 1)
        for (int s = 0; s < 12; ++s) v = 0.625f * v + 3;
    y[i] = v;
}
