extern "C" __global__ void blocks_that_fit(
    const int* threads, const int* kib, int* fit,
    int max_threads, int max_blocks, int max_kib,
    int reserved, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    const int warps = (threads[i] + 31) / 32;
    int most = max_threads / 32 / warps;
    most = min(most, max_blocks);
    const int each = kib[i] + reserved;
    if (each > 0) most = min(most, max_kib / each);
    fit[i] = most;
}
