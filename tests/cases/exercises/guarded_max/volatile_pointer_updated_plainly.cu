// passes: 1
// hint: the read beside it is a plain one
extern "C" __global__ void guarded_max(const int* values, int n, volatile int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] > *result) *result = values[i];  // expect: race
}
