// expect: wrong 0
// hint: out[0] should be 0 and is
extern "C" __global__ void shift(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i + 1 < n ? in[i + 1] : 0;
}
