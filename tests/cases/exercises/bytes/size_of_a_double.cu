// expect: wrong 500
// hint: No thread has written out[500]
// writer: no thread
extern "C" __global__ void halve(const float* in, float* out, int bytes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < bytes / sizeof(double)) out[i] = in[i] / 2;
}
