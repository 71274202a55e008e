// passes: 1
extern "C" __global__ void safe_max(const int* values, int n, volatile int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (values[i] > *result)
        *result = values[i];  // expect: race
}
