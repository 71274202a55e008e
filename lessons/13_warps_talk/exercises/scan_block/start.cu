// out[i] is to hold the sum of the values of i's
// block from its first one up to in[i].
extern "C" __global__ void scan_block(
    const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    const int lane = threadIdx.x % 32;
    int x = i < n ? in[i] : 0;
    for (int gap = 1; gap < 32; gap *= 2) {
        int y = __shfl_up_sync(0xffffffff, x, gap);
        if (lane >= gap) x += y;
    }
    // Now x is the sum within the warp. What do the
    // warps before it add?
    if (i < n) out[i] = x;
}
