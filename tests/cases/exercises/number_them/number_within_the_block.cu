// passes: 2
// expect: wrong 128
// hint: out[128] should be 128 and is 0
extern "C" __global__ void number_them(int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = threadIdx.x;
}
