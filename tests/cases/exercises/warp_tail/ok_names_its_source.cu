// Those that stay name a source that stays too.
// expect: passed
extern "C" __global__ void warp_tail(const int* in, int* sums, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned mask = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    const int lane = i % 32;
    int x = in[i];
    for (int gap = 16; gap > 0; gap /= 2) {
        const bool there = lane + gap < 32 && i + gap < n;
        const int y = __shfl_sync(mask, x, there ? lane + gap : lane);
        if (there) x += y;
    }
    if (lane == 0) sums[i / 32] = x;
}
