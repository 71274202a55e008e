// hint: Several threads use the same
extern "C" __global__ void blocks_that_fit(const int* threads, const int* kib, int* fit, int max_threads, int max_blocks,
                                           int max_kib, int reserved, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int most = min(max_blocks, max_threads / 32 / ((threads[i] + 31) / 32));
    if (kib[i] + reserved > 0) most = min(most, max_kib / (kib[i] + reserved));
    fit[0] = most;  // expect: race
}
