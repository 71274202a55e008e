// Counts x in m equal bins of [lo, hi).
// SHARED_BINS: every block first counts for itself.
extern "C" __global__ void histogram(
    const float* x, int n, float lo, float hi,
    int* bins, int m)
{
#if SHARED_BINS
    extern __shared__ int mine[];
    for (int b = threadIdx.x; b < m; b += blockDim.x)
        mine[b] = 0;
    __syncthreads();
#else
    int* mine = bins;
#endif

    const float width = (hi - lo) / m;
    const int stride = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += stride) {
        const int b = floorf((x[i] - lo) / width);
        if (b >= 0 && b < m)
#if ATOMIC
            atomicAdd(&mine[b], 1);
#else
            mine[b] += 1;
#endif
    }

#if SHARED_BINS  // all blocks merge, atomically
    __syncthreads();
    for (int b = threadIdx.x; b < m; b += blockDim.x)
        atomicAdd(&bins[b], mine[b]);
#endif
}
