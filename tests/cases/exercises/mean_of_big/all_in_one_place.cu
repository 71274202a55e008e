// hint: Two threads have used the same place
extern "C" __global__ void mean_of_big(const int* values, long long* partial, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    long long sum = 0;
    for (int i = thread; i < n; i += stride) sum += values[i];
    partial[threadIdx.x] = sum;  // expect: race
}
