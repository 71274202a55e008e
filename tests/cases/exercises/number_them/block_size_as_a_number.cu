// expect: wrong 100
// hint: The blocks of this launch have 100 threads each
// writer: no thread
extern "C" __global__ void number_them(int* out, int n)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) out[i] = i;
}
