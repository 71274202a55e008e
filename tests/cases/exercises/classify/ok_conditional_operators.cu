// expect: passed
extern "C" __global__ void classify(const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    const float a = v < -1 ? 0.75f : v < 1 ? 0.875f : 0.625f, b = v < -1 ? 1.0f : v < 1 ? 2.0f : 3.0f;
    for (int s = 0; s < 12; ++s) v = a * v + b;
    y[i] = v;
}
