// The values move up, and lane 0 hears nobody.
// expect: wrong 0
// passes: 0
// hint: This value has not reached lane 0
extern "C" __global__ void warp_max(const int* in, int* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    for (int gap = 16; gap > 0; gap /= 2) x = max(x, __shfl_up_sync(0xffffffff, x, gap));
    if (i % 32 == 0) out[i / 32] = x;
}
