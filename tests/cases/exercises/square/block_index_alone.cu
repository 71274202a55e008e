// passes: 1
// hint: Two threads of one block have written the same element
extern "C" __global__ void square(const float* in, float* out, int n)
{
    const int i = blockIdx.x;
    if (i < n) out[i] = in[i] * in[i];  // expect: race
}
