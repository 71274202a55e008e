// count[0] is to hold how many of n values are
// greater than limit. It begins with 0.
extern "C" __global__ void count_above(
    const float* values, float limit, int* count,
    int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    // Every value has a thread. Which part of this
    // line is the race?
    if (i < n && values[i] > limit) count[0] += 1;
}
