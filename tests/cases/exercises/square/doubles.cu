// expect: wrong 0
// passes: 0
// told: thread (0,0,0) of block (0,0,0) wrote it in line 9
// hint: not with its square
// writer: thread (0,0,0) of block (0,0,0)
extern "C" __global__ void square(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + in[i];
}
