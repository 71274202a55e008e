// Computes y[i] from x[i]; the steps depend on k,
// from 0 to 31. BY: 0: k is the lane's number, 1:
// the warp's number, 2: computed from the value.
// SHAPE: 0 an if, 1 an if in each of its ways, 2 a
// loop. STEPS: steps of a way, or the longest loop.
extern "C" __global__ void branch(
    const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
#if BY == 0
    const int k = threadIdx.x % 32;
#elif BY == 1
    const int k = threadIdx.x / 32;
#else  // 0 <= v < 1
    const int k = v * 32;
#endif
#if SHAPE == 0
    if (k < 16)
        for (int s = 0; s < STEPS; ++s)
            v = 0.5f * v + 1;
    else
        for (int s = 0; s < STEPS; ++s)
            v = 0.25f * v + 2;
#elif SHAPE == 1
    if (k < 16) {
        if (k < 8)
            for (int s = 0; s < STEPS; ++s)
                v = 0.5f * v + 1;
        else
            for (int s = 0; s < STEPS; ++s)
                v = 0.25f * v + 2;
    } else {
        if (k < 24)
            for (int s = 0; s < STEPS; ++s)
                v = 0.75f * v + 3;
        else
            for (int s = 0; s < STEPS; ++s)
                v = 0.125f * v + 4;
    }
#else
    const int steps = STEPS * (k + 1) / 32;
    for (int s = 0; s < steps; ++s)
        v = 0.5f * v + 1;
#endif
    y[i] = v;
}
