// expect: wrong 128
// passes: 1
extern "C" __global__ void to_celsius(const float* fahrenheit, float* celsius, int n)
{
    const int i = threadIdx.x;
    if (blockIdx.x == 0 && i < n) celsius[i] = (fahrenheit[i] - 32) * 5 / 9;
}
