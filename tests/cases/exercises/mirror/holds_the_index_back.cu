// expect: wrong 1
// hint: out[1] should be 998 and is 999
extern "C" __global__ void mirror(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = min(n - i, n - 1);
    if (i >= n) return;
    const int value = in[from];
    out[i] = value;
}
