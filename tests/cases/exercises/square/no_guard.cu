// passes: 2
extern "C" __global__ void square(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[i];  // expect: memory
    out[i] = x * x;
}
// hint: The launch has more threads than there are elements
