// passes: 0
// hint: before any thread has filled it
extern "C" __global__ void pair_sums(const float* in, float* out, int n)
{
    extern __shared__ float partial[];
    const int i = threadIdx.x;
    partial[i] = i < n ? in[i] : 0;  // expect: race
    if (i < 128) out[i] = partial[i] + partial[i + 128];
}
