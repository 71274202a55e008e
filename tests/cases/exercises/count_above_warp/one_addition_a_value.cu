// As it was done before: right, with one addition for each value that passes.
// expect: over_limit atomics
// told: atomic operations, and the exercise allows
// hint: a warp adds more than once
extern "C" __global__ void count_above_warp(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] > limit) atomicAdd(&count[0], 1);
}
