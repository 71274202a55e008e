// expect: passed
extern "C" __global__ void two_blurs(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float far = in[(i + n - 2) % n] + in[(i + 2) % n], near = in[(i + n - 1) % n] + in[(i + 1) % n];
    out[i] = (far + 4 * near + 6 * in[i]) / 16;
}
