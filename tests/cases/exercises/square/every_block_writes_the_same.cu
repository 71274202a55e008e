// passes: 2
extern "C" __global__ void square(const float* in, float* out, int n)
{
    const int i = threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];  // expect: race
}
// hint: must have computed the same `i`
