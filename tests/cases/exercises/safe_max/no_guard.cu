// passes: 3
extern "C" __global__ void safe_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMax(result, values[i]);  // expect: memory
}
