// out[i] = in[i] * in[i], a thread for each i.
extern "C" __global__ void squares(
    const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}
