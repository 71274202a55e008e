// expect: passed
extern "C" __global__ void shift(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) out[0] = 0;
    if (i + 1 < n) out[i + 1] = in[i];
}
