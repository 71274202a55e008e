// expect: passed
extern "C" __global__ void warp_max(const int* in, int* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    for (int gap = 1; gap < 32; gap *= 2) x = max(x, __shfl_xor_sync(0xffffffff, x, gap));
    if (i % 32 == 7) out[i / 32] = x;
}
