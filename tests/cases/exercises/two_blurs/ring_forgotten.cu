// passes: 0
// hint: smaller and larger indices
extern "C" __global__ void two_blurs(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (in[i - 2] + 4 * in[i - 1] + 6 * in[i] + 4 * in[i + 1] + in[i + 2]) / 16;  // expect: memory
}
