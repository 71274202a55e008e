// c[i] = the length of (a[i], b[i]), i below n.
// WAY 0: one element a thread; 1: grid-stride loop;
// 2: a chunk a thread, its elements side by side.
extern "C" __global__ void hypot_stride(
    const float* a, const float* b, float* c, int n)
{
    const int thread = blockIdx.x * blockDim.x
                     + threadIdx.x;
#if WAY == 0
    if (thread < n)
        c[thread] = hypotf(a[thread], b[thread]);
#elif WAY == 1
    const int stride = gridDim.x * blockDim.x;
    for (int i = thread; i < n; i += stride)
        c[i] = hypotf(a[i], b[i]);
#else
    const int threads = gridDim.x * blockDim.x;
    const int chunk = (n + threads - 1) / threads;
    const int end = min((thread + 1) * chunk, n);
    for (int i = thread * chunk; i < end; ++i)
        c[i] = hypotf(a[i], b[i]);
#endif
}
