// expect: wrong 0
// hint: No thread has written out[0]
// writer: no thread
extern "C" __global__ void shift(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) out[i] = in[i - 1];
}
