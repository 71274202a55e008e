// expect: wrong 0
// hint: should be
extern "C" __global__ void classify(const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    float a = 0.625f, b = 3;
    if (v < -1) a = 0.75f, b = 1;
    if (v < 1) a = 0.875f, b = 2;
    for (int s = 0; s < 12; ++s) v = a * v + b;
    y[i] = v;
}
