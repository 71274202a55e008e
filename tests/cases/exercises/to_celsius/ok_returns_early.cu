// expect: passed
extern "C" __global__ void to_celsius(const float* fahrenheit, float* celsius, int n)
{
    const unsigned first = blockDim.x * blockIdx.x;
    const unsigned i = first + threadIdx.x;
    if (i >= (unsigned)n) return;
    const float above = fahrenheit[i] - 32.0f;
    celsius[i] = above * 0.5555556f;
}
