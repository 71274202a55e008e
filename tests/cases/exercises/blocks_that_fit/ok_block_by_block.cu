// expect: passed
extern "C" __global__ void blocks_that_fit(const int* threads, const int* kib, int* fit, int max_threads, int max_blocks,
                                           int max_kib, int reserved, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int warps = (threads[i] + 31) / 32, each = kib[i] + reserved;
    int most = 0;
    while (most < max_blocks && 32 * warps * (most + 1) <= max_threads && each * (most + 1) <= max_kib) ++most;
    fit[i] = most;
}
