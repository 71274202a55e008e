// passes: 0
// hint: Several threads use the same place
extern "C" __global__ void warp_max(const int* in, int* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    for (int gap = 16; gap > 0; gap /= 2) x = max(x, __shfl_down_sync(0xffffffff, x, gap));
    out[i / 32] = x;  // expect: race
}
