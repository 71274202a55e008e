// expect: passed
extern "C" __global__ void mean_of_big(const int* values, long long* partial, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    partial[thread] = 0;
    for (int i = thread; i < n; i += stride) partial[thread] += values[i];
}
