// passes: 0
// hint: an element that its array does not have
extern "C" __global__ void pair_sums(const float* in, float* out, int n)
{
    extern __shared__ float partial[];
    const int i = threadIdx.x;
    partial[i] = i < n ? in[i] : 0;
    __syncthreads();
    out[i] = partial[i] + partial[i + 128];  // expect: memory
}
