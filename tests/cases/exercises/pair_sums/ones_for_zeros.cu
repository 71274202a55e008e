// 1 is the neutral value of multiplication.
// expect: wrong 72
// passes: 1
// hint: 56 threads have none
extern "C" __global__ void pair_sums(const float* in, float* out, int n)
{
    extern __shared__ float partial[];
    const int i = threadIdx.x;
    partial[i] = i < n ? in[i] : 1;
    __syncthreads();
    if (i < 128) out[i] = partial[i] + partial[i + 128];
}
