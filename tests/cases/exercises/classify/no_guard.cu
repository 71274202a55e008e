// hint: the array does not have
extern "C" __global__ void classify(const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];  // expect: memory
    float a = 0.625f, b = 3;
    if (v < 1) a = 0.875f, b = 2;
    if (v < -1) a = 0.75f, b = 1;
    for (int s = 0; s < 12; ++s) v = a * v + b;
    y[i] = v;
}
