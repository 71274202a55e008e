// sums[w] is to hold the sum of the values
// in[32 w] to in[32 w + 31], as far as there are
// any: the last warp may have fewer than 32.
extern "C" __global__ void warp_tail(
    const int* in, int* sums, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    int x = in[i];
    for (int gap = 16; gap > 0; gap /= 2)
        x += __shfl_down_sync(0xffffffff, x, gap);
    if (i % 32 == 0) sums[i / 32] = x;
}
