// expect: wrong 5
// passes: 1
// hint: no shared memory
extern "C" __global__ void blocks_that_fit(const int* threads, const int* kib, int* fit, int max_threads, int max_blocks,
                                           int max_kib, int reserved, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int most = min(max_blocks, max_threads / threads[i]);
    if (kib[i] + reserved > 0) most = min(most, max_kib / (kib[i] + reserved));
    fit[i] = most;
}
