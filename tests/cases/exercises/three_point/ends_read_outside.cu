// passes: 0
// hint: an element that its array does not have
extern "C" __global__ void three_point(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (in[i - 1] + 2 * in[i] + in[i + 1]) / 4;  // expect: memory
}
