// expect: wrong 500
// hint: The guard stops too many threads
extern "C" __global__ void halve(const float* in, float* out, int bytes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = bytes / sizeof(in);
    if (i < n) out[i] = in[i] / 2;
}
