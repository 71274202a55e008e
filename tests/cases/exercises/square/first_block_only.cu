// told: no thread wrote it
// hint: No thread has written out[128]
// writer: no thread
// passes: 2
// expect: wrong 128
extern "C" __global__ void square(const float* in, float* out, int n)
{
    const int i = threadIdx.x;
    if (blockIdx.x == 0 && i < n) out[i] = in[i] * in[i];
}
