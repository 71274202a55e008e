extern "C" __global__ void warp_max(
    const int* in, int* out)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    int x = in[i];
    const unsigned all = 0xffffffff;
    for (int gap = 16; gap > 0; gap /= 2)
        x = max(x, __shfl_down_sync(all, x, gap));
    if (i % 32 == 0) out[i / 32] = x;
}
