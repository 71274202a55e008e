// expect: wrong 1
// hint: The guard stops too many threads, or a thread uses another index
extern "C" __global__ void halve(const float* in, float* out, int bytes)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * sizeof(float);
    if (i < bytes / sizeof(float)) out[i] = in[i] / 2;
}
