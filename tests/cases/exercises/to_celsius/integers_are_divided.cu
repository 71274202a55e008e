// expect: wrong 0
// hint: look at the formula
// passes: 0
extern "C" __global__ void to_celsius(const float* fahrenheit, float* celsius, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) celsius[i] = 5 / 9 * (fahrenheit[i] - 32);
}
