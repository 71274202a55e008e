// expect: wrong 0
// passes: 2
// hint: no shared memory
extern "C" __global__ void blocks_that_fit(const int* threads, const int* kib, int* fit, int max_threads, int max_blocks,
                                           int max_kib, int reserved, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int most = min(max_blocks, max_threads / 32 / ((threads[i] + 31) / 32));
    fit[i] = min(most, max_kib / (kib[i] + reserved));
}
