// hint: A thread has used an element that the array does not have
extern "C" __global__ void count_above(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (values[i] > limit)  // expect: memory
        atomicAdd(&count[0], 1);
}
