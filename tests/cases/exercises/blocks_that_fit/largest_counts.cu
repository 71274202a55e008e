// expect: wrong 0
// hint: 1 to 48 KiB
extern "C" __global__ void blocks_that_fit(const int* threads, const int* kib, int* fit, int max_threads, int max_blocks,
                                           int max_kib, int reserved, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int most = max(max_blocks, max_threads / 32 / ((threads[i] + 31) / 32));
    fit[i] = max(most, max_kib / (kib[i] + reserved));
}
