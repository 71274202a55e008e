// Three classes: x < -1, then x < 1, then the rest.
// The result is right, but warps go three ways.
extern "C" __global__ void classify(
    const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    if (v < -1)
        for (int s = 0; s < 12; ++s)
            v = 0.75f * v + 1;
    else if (v < 1)
        for (int s = 0; s < 12; ++s)
            v = 0.875f * v + 2;
    else
        for (int s = 0; s < 12; ++s)
            v = 0.625f * v + 3;
    y[i] = v;
}
