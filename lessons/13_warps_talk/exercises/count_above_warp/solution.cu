extern "C" __global__ void count_above_warp(
    const float* values, float limit, int* count,
    int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    const bool above = i < n && values[i] > limit;
    const unsigned votes =
        __ballot_sync(0xffffffff, above);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&count[0], __popc(votes));
}
