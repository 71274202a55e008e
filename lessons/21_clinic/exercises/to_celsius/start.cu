// celsius[i] is to hold fahrenheit[i] in degrees
// Celsius, for all n readings.
extern "C" __global__ void to_celsius(
    const float* fahrenheit, float* celsius, int n)
{
    const int i = threadIdx.x;
    if (i < n)
        celsius[i] = (fahrenheit[i] - 32) * 5 / 9;
}
