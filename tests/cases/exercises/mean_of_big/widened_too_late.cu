// expect: wrong 0
// hint: more than an `int` can hold
extern "C" __global__ void mean_of_big(const int* values, long long* partial, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    int sum = 0;
    for (int i = thread; i < n; i += stride) sum += values[i];
    partial[thread] = (long long)sum;
}
