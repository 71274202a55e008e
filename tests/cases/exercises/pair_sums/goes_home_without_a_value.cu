// passes: 1
// hint: wait at a barrier that others never reach
extern "C" __global__ void pair_sums(const float* in, float* out, int n)
{
    extern __shared__ float partial[];
    const int i = threadIdx.x;
    if (i >= n) return;
    partial[i] = in[i];
    __syncthreads();  // expect: sync
    if (i < 128) out[i] = partial[i] + partial[i + 128];
}
