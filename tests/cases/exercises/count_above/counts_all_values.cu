// expect: wrong 0
// hint: have added 1 too often
extern "C" __global__ void count_above(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&count[0], 1);
}
