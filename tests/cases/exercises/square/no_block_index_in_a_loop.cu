// Every block does the same work: the race is only what shows it.
// passes: 2
// hint: must have computed the same `i`
extern "C" __global__ void square(const float* in, float* out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i] * in[i];  // expect: race
}
