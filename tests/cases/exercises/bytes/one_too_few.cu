// expect: wrong 999
// hint: Only one element is missing: out[999]
// writer: no thread
extern "C" __global__ void halve(const float* in, float* out, int bytes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < bytes / 4 - 1) out[i] = in[i] / 2;
}
