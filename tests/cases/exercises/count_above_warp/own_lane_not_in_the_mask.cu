// The mask of half a warp, and the whole warp votes.
// passes: 1
// hint: the mask names other lanes than those that make it
extern "C" __global__ void count_above_warp(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned votes = __ballot_sync(0x0000ffff, i < n && values[i] > limit);  // expect: sync
    if (threadIdx.x % 32 == 0) atomicAdd(&count[0], __popc(votes));
}
