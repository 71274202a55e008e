// expect: wrong 32
// passes: 2
// hint: something is missing from the sum
extern "C" __global__ void scan_block(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int x = i < n ? in[i] : 0;
    for (int gap = 1; gap < 32; gap *= 2) {
        const int y = __shfl_up_sync(0xffffffff, x, gap);
        if (lane >= gap) x += y;
    }
    if (i < n) out[i] = x;
}
