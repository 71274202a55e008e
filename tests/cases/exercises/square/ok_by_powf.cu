// powf rounds the last digit of some squares differently.
// expect: passed
extern "C" __global__ void square(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = powf(in[i], 2.0f);
}
