// partial[t] is to hold the sum of the values of
// thread t: values[t], values[t + stride] …
extern "C" __global__ void mean_of_big(
    const int* values, long long* partial, int n)
{
    const int thread = blockIdx.x * blockDim.x
                     + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    int sum = 0;  // what can an int hold at most?
    for (int i = thread; i < n; i += stride)
        sum += values[i];
    partial[thread] = sum;
}
