// A sum and no maximum.
// expect: wrong 0
// passes: 0
extern "C" __global__ void warp_max(const int* in, int* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    for (int gap = 16; gap > 0; gap /= 2) x += __shfl_down_sync(0xffffffff, x, gap);
    if (i % 32 == 0) out[i / 32] = x;
}
