// hint: costs too many atomic updates
extern "C" __global__ void guarded_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(result, values[i]);  // expect: over_limit atomics
}
