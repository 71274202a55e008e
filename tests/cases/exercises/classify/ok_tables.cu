// expect: passed
__device__ const float factor[3] = {0.75f, 0.875f, 0.625f};
extern "C" __global__ void classify(const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        const int c = (v >= -1) + (v >= 1);
        for (int s = 0; s < 12; ++s) v = factor[c] * v + (c + 1);
        y[i] = v;
    }
}
