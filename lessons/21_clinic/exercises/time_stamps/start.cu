// stamp[i] is to hold reading i in microseconds:
// its whole seconds, and the rest.
extern "C" __global__ void time_stamps(
    const int* seconds, const int* micros,
    long long* stamp, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i < n)
        stamp[i] = seconds[i] * 1000000 + micros[i];
}
