// expect: passed
extern "C" __global__ void number_them(int* out, int n)
{
    for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = i;
}
