// Each of the two is atomic; what lies between them is not.
// expect: wrong 0
// passes: 3
extern "C" __global__ void safe_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] > atomicAdd(result, 0)) atomicExch(result, values[i]);
}
