// result[0] is to become the largest of n values.
// It starts at the smallest int that there is.
extern "C" __global__ void safe_max(
    const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    // Load, compare, store: the three steps of this
    // lesson, with a comparison in the middle.
    if (values[i] > result[0])
        result[0] = values[i];
}
