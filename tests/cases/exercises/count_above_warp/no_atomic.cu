// hint: at least one of these accesses is not atomic
extern "C" __global__ void count_above_warp(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned votes = __ballot_sync(0xffffffff, i < n && values[i] > limit);
    if (threadIdx.x % 32 == 0) count[0] += __popc(votes);  // expect: race
}
