// expect: passed
extern "C" __global__ void safe_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int best = i < n ? values[i] : *values;
    if (blockDim.x >= 32)
        for (int gap = 16; gap > 0; gap /= 2) best = max(best, __shfl_xor_sync(0xffffffff, best, gap));
    if (threadIdx.x % 32 == 0 || blockDim.x < 32) atomicMax(result, best);
}
