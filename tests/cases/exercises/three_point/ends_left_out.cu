// passes: 0
// hint: No thread has written out[0]
// expect: wrong 0
// writer: no thread
extern "C" __global__ void three_point(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) out[i] = (in[i - 1] + 2 * in[i] + in[i + 1]) / 4;
}
