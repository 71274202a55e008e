// x[i]: the sum of a[j + s] * z[i + s - j] over
// -s <= j <= s; the first and the last count half.
// VERSION 0, 1: 2s threads a block; 2, 5: 2s + 1;
// 3, 4: a thread for each output.
__device__ float term(
    const float* a, const float* z,
    int i, int s, int j)
{
    const float t = a[j + s] * z[i + s - j];
    return j == -s || j == s ? t / 2 : t;
}

extern "C" __global__ void smooth(
    const float* a, const float* z, float* x,
    int n, int s)
{
#if VERSION <= 2  // a thread for each weight
    const int i = blockIdx.x;
    const int j = (int)threadIdx.x - s;
#if VERSION == 0
    x[i] += term(a, z, i, s, j);
#else
    atomicAdd(&x[i], term(a, z, i, s, j));
#endif
#elif VERSION <= 4  // a thread an output
#if VERSION == 3
    const int i = threadIdx.x;
#else
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
#endif
    if (i >= n) return;
    float sum = 0;
    for (int j = -s; j <= s; ++j)
        sum += term(a, z, i, s, j);
    x[i] = sum;
#else  // a block sums up in shared memory
    extern __shared__ float terms[];
    const int i = blockIdx.x, t = threadIdx.x;
    terms[t] = term(a, z, i, s, t - s);
    __syncthreads();
    int width = blockDim.x;
    while (width > 1) {
        const int half = (width + 1) / 2;
        if (t < width / 2)
            terms[t] += terms[t + half];
        __syncthreads();
        width = half;
    }
    if (t == 0) x[i] = terms[0];
#endif
}
