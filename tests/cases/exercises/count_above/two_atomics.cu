// Each of the two is atomic; what lies between them is not.
// expect: wrong 0
// hint: Some of them have not been counted
extern "C" __global__ void count_above(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] > limit) atomicExch(&count[0], atomicAdd(&count[0], 0) + 1);
}
