// expect: passed
extern "C" __global__ void blocks_that_fit(const int* threads, const int* kib, int* fit, int max_threads, int max_blocks,
                                           int max_kib, int reserved, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int places = threads[i] % 32 == 0 ? threads[i] : (threads[i] / 32 + 1) * 32;
    const int a = max_threads / places, b = kib[i] + reserved == 0 ? max_blocks : max_kib / (kib[i] + reserved);
    const int c = a < b ? a : b;
    fit[i] = c < max_blocks ? c : max_blocks;
}
