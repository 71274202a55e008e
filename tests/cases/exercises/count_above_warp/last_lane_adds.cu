// The last warp of a block may have no lane 31.
// expect: wrong 0
// hint: one warp of 32 and one of 18
extern "C" __global__ void count_above_warp(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned votes = __ballot_sync(0xffffffff, i < n && values[i] > limit);
    if (threadIdx.x % 32 == 31) atomicAdd(&count[0], __popc(votes));
}
