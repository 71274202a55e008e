// A vote is defined where lanes of the mask have ended.
// expect: passed
extern "C" __global__ void count_above_warp(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned votes = __ballot_sync(0xffffffff, values[i] > limit);
    if (threadIdx.x % 32 == 0) atomicAdd(&count[0], __popc(votes));
}
