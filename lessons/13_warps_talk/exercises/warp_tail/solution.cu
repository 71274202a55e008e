extern "C" __global__ void warp_tail(
    const int* in, int* sums, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    int x = i < n ? in[i] : 0;
    for (int gap = 16; gap > 0; gap /= 2)
        x += __shfl_down_sync(0xffffffff, x, gap);
    if (i < n && i % 32 == 0) sums[i / 32] = x;
}
