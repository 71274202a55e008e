// expect: wrong 0
// passes: 2
// hint: A GTX 850M has room
extern "C" __global__ void blocks_that_fit(const int* threads, const int* kib, int* fit, int max_threads, int max_blocks,
                                           int max_kib, int reserved, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int most = min(16, 32 / ((threads[i] + 31) / 32));
    if (kib[i] + reserved > 0) most = min(most, 64 / (kib[i] + reserved));
    fit[i] = most;
}
