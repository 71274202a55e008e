// expect: wrong 128
// told: no thread wrote it
// hint: No thread has stored celsius[128]
extern "C" __global__ void to_celsius(const float* fahrenheit, float* celsius, int n)
{
    const int i = threadIdx.x;
    if (i < n) atomicExch(&celsius[i], (fahrenheit[i] - 32) * 5 / 9);
}
