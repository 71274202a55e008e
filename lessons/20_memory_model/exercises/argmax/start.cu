// best[0] is to become largest value * 2^32 + its
// index. In memory these are two ints: the index
// first, then the value. best[0] starts at -1.
extern "C" __global__ void argmax(
    const int* values, int n, long long* best)
{
    int* index = (int*)best;
    int* value = index + 1;
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    // Both are atomic. Is that enough?
    if (atomicMax(value, values[i]) <= values[i])
        atomicExch(index, i);
}
