// The index is that of the first block, so every block counts the same values.
// expect: wrong 0
// hint: Some of them have not been counted
extern "C" __global__ void count_above(const float* values, float limit, int* count, int n)
{
    const int i = threadIdx.x;
    if (i < n && values[i] > limit) atomicAdd(&count[0], 1);
}
