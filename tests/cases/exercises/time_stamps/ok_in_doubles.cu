// expect: passed
extern "C" __global__ void time_stamps(const int* seconds, const int* micros, long long* stamp, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) stamp[i] = (long long)(seconds[i] * 1e6 + micros[i]);
}
