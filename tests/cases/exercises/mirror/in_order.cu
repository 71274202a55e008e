// expect: wrong 0
// hint: out[0] should be 999 and is 0
extern "C" __global__ void mirror(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = i;
    if (i >= n) return;
    out[i] = in[from];
}
