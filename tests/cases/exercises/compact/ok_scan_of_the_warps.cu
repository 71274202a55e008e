// The first warp sums what the warps keep.
// expect: passed
extern "C" __global__ void compact(const int* in, int* out, int* count, int n)
{
    const int i = threadIdx.x, lane = i % 32, warp = i / 32;
    __shared__ int kept[32];
    if (i < 32) kept[i] = 0;
    __syncthreads();
    const bool yes = i < n && in[i] > 0;
    const unsigned votes = __ballot_sync(0xffffffff, yes);
    if (lane == 0) kept[warp] = __popc(votes);
    __syncthreads();
    if (i < 32) {
        int x = kept[i];
        for (int gap = 1; gap < 32; gap *= 2) {
            const int y = __shfl_up_sync(0xffffffff, x, gap);
            if (lane >= gap) x += y;
        }
        kept[i] = x;
        if (i == 31) count[0] = x;
    }
    __syncthreads();
    const int before = warp == 0 ? 0 : kept[warp - 1];
    if (yes) out[before + __popc(votes & ((1u << lane) - 1))] = in[i];
}
