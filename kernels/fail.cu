// out[i] = x[i + 1] - x[i], a thread for each i;
// after the last element comes the first again.
#include <cassert>
#include <cstdio>

extern "C" __global__ void fail(
    const int* x, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
#if WRAP
    const int next = i + 1 < n ? i + 1 : 0;
#else
    const int next = i + 1;
#endif
    if (i % 1000 == 0)
        printf("i = %d, next = %d\n", i, next);
#if CHECK
    assert(next < n);
#endif
    out[i] = x[next] - x[i];
}

// A second launch: every element times two.
extern "C" __global__ void twice(int* out, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i < n) out[i] *= 2;
}
