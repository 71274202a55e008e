// Computes y[i] from x[i] for n elements. Every
// launch is right: the loop is a grid-stride loop.
// ITEMS: elements that a thread works on at a time.
// STEPS: steps of arithmetic for each element.
extern "C" __global__ void
#if MIN_BLOCKS  // registers for so many blocks
__launch_bounds__(THREADS, MIN_BLOCKS)
#endif
work(const float* x, float* y, int n)
{
    const int stride = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += ITEMS * stride) {
        float v[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            const int at = i + k * stride;
            v[k] = at < n ? x[at] : 0;
        }
#pragma unroll 4
        for (int s = 0; s < STEPS; ++s) {
#pragma unroll
            for (int k = 0; k < ITEMS; ++k)
                v[k] = 0.5f * v[k] + 1;
        }
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            const int at = i + k * stride;
            if (at < n) y[at] = v[k];
        }
    }
}
