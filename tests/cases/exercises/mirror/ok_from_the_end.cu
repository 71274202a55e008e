// expect: passed
extern "C" __global__ void mirror(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int* const last = in + n - 1;
    if (i < n) out[i] = *(last - i);
}
