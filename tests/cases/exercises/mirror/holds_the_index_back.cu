// expect: wrong 1
// hint: Which element of `in` should it read
extern "C" __global__ void mirror(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = min(n - i, n - 1);
    if (i >= n) return;
    const int value = in[from];
    out[i] = value;
}
