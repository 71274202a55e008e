// expect: wrong 0
// passes: 0
// hint: No thread has written to `out` yet
extern "C" __global__ void pair_sums(const float* in, float* out, int n)
{
    extern __shared__ float partial[];
    const int i = threadIdx.x;
    partial[i] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < 128) partial[i] += partial[i + 128];
}
