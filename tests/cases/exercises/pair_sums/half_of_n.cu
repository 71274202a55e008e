// The distance is 128 and not half of the values.
// expect: wrong 0
// passes: 1
// hint: 56 threads have none
extern "C" __global__ void pair_sums(const float* in, float* out, int n)
{
    extern __shared__ float partial[];
    const int i = threadIdx.x;
    partial[i] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < 128) out[i] = partial[i] + partial[i + n / 2];
}
