// expect: passed
extern "C" __global__ void square(const float* in, float* out, int n)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= n) return;
    float x = in[i];
    out[i] = x * x;
}
