// hint: does not have
extern "C" __global__ void blocks_that_fit(const int* threads, const int* kib, int* fit, int max_threads, int max_blocks,
                                           int max_kib, int reserved, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int warps = (threads[i] + 31) / 32;  // expect: memory
    int most = min(max_blocks, max_threads / 32 / warps);
    if (kib[i] + reserved > 0) most = min(most, max_kib / (kib[i] + reserved));
    fit[i] = most;
}
