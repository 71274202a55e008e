// expect: wrong 32
// hint: No thread has written out[32]
// writer: no thread
extern "C" __global__ void number_them(int* out, int n)
{
    const int i = threadIdx.x * blockDim.x + blockIdx.x;
    if (i < n) out[i] = i;
}
