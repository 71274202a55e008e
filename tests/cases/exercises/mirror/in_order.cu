// expect: wrong 0
// hint: Which element of `in` has thread 0 read
extern "C" __global__ void mirror(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = i;
    if (i >= n) return;
    out[i] = in[from];
}
