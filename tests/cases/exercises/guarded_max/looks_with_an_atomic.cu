// hint: is one of them
extern "C" __global__ void guarded_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] > atomicAdd(result, 0))  // expect: over_limit atomics
        atomicMax(result, values[i]);
}
