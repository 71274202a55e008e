// expect: wrong 0
// passes: 2
// hint: multiple of 4,294,967,296
extern "C" __global__ void time_stamps(const int* seconds, const int* micros, long long* stamp, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) stamp[i] = seconds[i] * 1000000u + micros[i];
}
