// expect: passed
extern "C" __global__ void turn_around(const int* in, int* out, int n)
{
    const int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    const int count = min((int)blockDim.x, n - first);
    if (t < count) out[first + t] = in[first + count - 1 - t];
}
