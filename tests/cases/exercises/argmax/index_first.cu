// The index decides before the value.
// expect: wrong 0
// hint: is the value wrong, or only the index
extern "C" __global__ void argmax(const int* values, int n, long long* best)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(best, (long long)i << 32 | values[i]);
}
