// Blocks have threads[i] threads and kib[i] KiB of
// shared memory. fit[i] has to be how many of them
// fit on a multiprocessor at the same time. So far
// only its places for threads are counted.
extern "C" __global__ void blocks_that_fit(
    const int* threads, const int* kib, int* fit,
    int max_threads, int max_blocks, int max_kib,
    int reserved, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    fit[i] = max_threads / threads[i];
}
