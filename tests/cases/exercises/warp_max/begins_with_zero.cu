// 0 is no neutral value of a maximum.
// expect: wrong 0
// passes: 3
// hint: all values are negative
extern "C" __global__ void warp_max(const int* in, int* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int best = 0;
    for (int lane = 0; lane < 32; ++lane) best = max(best, __shfl_sync(0xffffffff, in[i], lane));
    if (i % 32 == 0) out[i / 32] = best;
}
