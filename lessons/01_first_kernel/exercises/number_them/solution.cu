extern "C" __global__ void number_them(
    int* out, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i < n) out[i] = i;
}
