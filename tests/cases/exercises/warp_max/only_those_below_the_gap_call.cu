// A tree of shared memory as shuffles: the lanes that are read from do not make the call.
// passes: 0
// hint: A lane reads from a lane that does not make the same call
extern "C" __global__ void warp_max(const int* in, int* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    for (int gap = 16; gap > 0; gap /= 2)
        if (i % 32 < gap) x = max(x, __shfl_down_sync(0xffffffff, x, gap));  // expect: sync
    if (i % 32 == 0) out[i / 32] = x;
}
