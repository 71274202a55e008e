// expect: passed
extern "C" __global__ void count_above_warp(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool above = i < n && values[i] > limit;
    const unsigned votes = __ballot_sync(0xffffffff, above);
    if (above && __ffs(votes) - 1 == threadIdx.x % 32) atomicAdd(&count[0], __popc(votes));
}
