// hint: not a power of two
// 96 halves to 3, and half of 3 is 1: the third is forgotten.
// expect: wrong 0
// passes: 5
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    extern __shared__ float s[];
    const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half) s[tid] += s[tid + half];
        __syncthreads();
    }
    if (tid == 0) sums[blockIdx.x] = s[0];
}
