// passes: 1
// hint: more threads than there are readings
extern "C" __global__ void to_celsius(const float* fahrenheit, float* celsius, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    celsius[i] = (fahrenheit[i] - 32) * 5 / 9;  // expect: memory
}
