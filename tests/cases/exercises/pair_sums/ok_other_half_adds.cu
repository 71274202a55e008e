// The second half of the threads adds, and the sum is made in shared memory.
// expect: passed
extern "C" __global__ void pair_sums(const float* in, float* out, int n)
{
    extern __shared__ float partial[];
    const int i = threadIdx.x;
    partial[i] = 0;
    if (i < n) partial[i] = in[i];
    __syncthreads();
    if (i < 128) return;
    partial[i - 128] += partial[i];
    out[i - 128] = partial[i - 128];
}
