// expect: wrong 0
// hint: more than an `int` can hold
extern "C" __global__ void mean_of_big(const int* values, long long* partial, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (int i = thread; i < n; i += stride) partial[thread] += values[i];
}
