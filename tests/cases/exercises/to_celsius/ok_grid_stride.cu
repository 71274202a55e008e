// expect: passed
extern "C" __global__ void to_celsius(const float* fahrenheit, float* celsius, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        celsius[i] = (fahrenheit[i] - 32) / 1.8f;
}
