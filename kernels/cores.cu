// Each thread makes the same number of steps with
// four numbers that do not depend on each other.
// A step is a fused multiply-add of each of them.
// DOUBLE: the numbers are float64.
#if DOUBLE
typedef double number;
#else
typedef float number;
#endif

extern "C" __global__ void busy(
    float* y, int steps)
{
    const int me = blockIdx.x * blockDim.x
                 + threadIdx.x;
    const number half = 0.5f, k = me;
    number a = 0, b = 1, c = 2, d = 3;
#pragma unroll 32
    for (int s = 0; s < steps; ++s) {
        a = half * a + k;
        b = half * b + k;
        c = half * c + k;
        d = half * d + k;
    }
    y[me] = a + b + c + d;
}
