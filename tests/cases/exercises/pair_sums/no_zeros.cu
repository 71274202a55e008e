// passes: 1
// hint: a place of `partial` that no thread has filled
extern "C" __global__ void pair_sums(const float* in, float* out, int n)
{
    extern __shared__ float partial[];
    const int i = threadIdx.x;
    if (i < n) partial[i] = in[i];
    __syncthreads();
    if (i < 128) out[i] = partial[i] + partial[i + 128];  // expect: init
}
