// passes: 0
// told: Put __syncthreads() between storing and reading
// hint: before any thread has filled it
extern "C" __global__ void pair_sums(const float* in, float* out, int n)
{
    extern __shared__ float partial[];
    const int i = threadIdx.x;
    partial[i] = i < n ? in[i] : 0; if (i < 128) out[i] = partial[i] + partial[i + 128];  // expect: init
}
