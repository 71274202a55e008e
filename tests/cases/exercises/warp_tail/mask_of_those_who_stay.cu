// The mask is right, and lanes outside of it are still read from.
// passes: 1
// hint: A lane reads from a lane that has left the kernel
extern "C" __global__ void warp_tail(const int* in, int* sums, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned mask = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int x = in[i];
    for (int gap = 16; gap > 0; gap /= 2) x += __shfl_down_sync(mask, x, gap);  // expect: sync
    if (i % 32 == 0) sums[i / 32] = x;
}
