// expect: wrong 0
// hint: No thread has written out[0]
// writer: no thread
extern "C" __global__ void mirror(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = n - i;
    if (i >= n || from >= n) return;
    const int value = in[from];
    out[i] = value;
}
