extern "C" __global__ void safe_max(
    const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i < n) atomicMax(result, values[i]);
}
