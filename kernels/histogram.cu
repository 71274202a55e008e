// Counts x in m equal bins of [lo, hi).
#if !FAST  // SHARED_BINS: a block first counts for itself
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

#else  // COPIES of a block's bins, 16 bytes a load
__device__ void count(float value, float lo,
                      float width, int* mine, int m)
{
    const int b = floorf((value - lo) / width);
    if (b >= 0 && b < m)
        atomicAdd(&mine[b * COPIES], 1);
}

// The copies of a bin lie side by side, so 32 of them
// lie in 32 banks: no two lanes of a warp ever meet.
extern "C" __global__ void histogram(
    const float* x, int n, float lo, float hi,
    int* bins, int m)
{
    extern __shared__ int copies[];
    const int thread = threadIdx.x, all = blockDim.x;
    for (int c = thread; c < m * COPIES; c += all)
        copies[c] = 0;
    __syncthreads();

    int* mine = copies + thread % COPIES;
    const float width = (hi - lo) / m;
    const float4* four = (const float4*)x;
    const int stride = gridDim.x * all;
    const int first = blockIdx.x * all + thread;
    for (int i = first; i < n / 4; i += stride) {
        const float4 v = four[i];
        count(v.x, lo, width, mine, m);
        count(v.y, lo, width, mine, m);
        count(v.z, lo, width, mine, m);
        count(v.w, lo, width, mine, m);
    }
    for (int i = first; i < n % 4; i += stride)
        count(x[n - 1 - i], lo, width, mine, m);

    __syncthreads();
    for (int b = thread; b < m; b += all) {
        int sum = 0;  // each b begins in another bank
        for (int c = 0; c < COPIES; ++c)
            sum += copies[b * COPIES + (b + c) % COPIES];
        atomicAdd(&bins[b], sum);
    }
}
#endif
