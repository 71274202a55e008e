// passes: 0
// hint: wait at a barrier that others never reach
extern "C" __global__ void pair_sums(const float* in, float* out, int n)
{
    extern __shared__ float partial[];
    const int i = threadIdx.x;
    partial[i] = i < n ? in[i] : 0;
    if (i < 128) {
        __syncthreads();  // expect: sync
        out[i] = partial[i] + partial[i + 128];
    }
}
