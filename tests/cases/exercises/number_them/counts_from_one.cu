// expect: wrong 0
// hint: Only one element is missing: out[0]
extern "C" __global__ void number_them(int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n) out[i] = i;
}
