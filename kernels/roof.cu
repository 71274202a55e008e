// Each thread computes a curve for its share of n
// values, and stores the sum of its results in y.
// STEPS: how many steps for each value.
// STRUCTS: x has structs of 4 numbers; one is read.
// DOUBLE: the constants are written without an f.
extern "C" __global__ void curve(
    const float* x, float* y, int n)
{
    const int threads = gridDim.x * blockDim.x;
    const int me = blockIdx.x * blockDim.x
                 + threadIdx.x;
    float sum = 0;
    for (int i = me; i < n; i += threads) {
#if STRUCTS
        float v = x[4 * i];
#else
        float v = x[i];
#endif
#pragma unroll 16
        for (int s = 0; s < STEPS; ++s)
#if DOUBLE
            v = 0.5 * v + 1.0;
#else
            v = 0.5f * v + 1.0f;
#endif
        sum += v;
    }
    y[me] = sum;
}
