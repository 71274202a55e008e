// passes: 1
// hint: Between them another thread may have stored a larger value
extern "C" __global__ void safe_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *result = max(*result, values[i]);  // expect: race
}
