// hint: compute the same `i`
extern "C" __global__ void to_celsius(const float* fahrenheit, float* celsius, int n)
{
    const int i = blockIdx.x + threadIdx.x;
    if (i < n) celsius[i] = (fahrenheit[i] - 32) * 5 / 9;  // expect: race
}
