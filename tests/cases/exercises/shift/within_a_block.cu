// expect: wrong 128
// hint: out[128] should be
extern "C" __global__ void shift(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = threadIdx.x > 0 ? in[i - 1] : 0;
}
