// expect: passed
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    extern __shared__ float s[];
    const unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? x[i] : 0.0f;
    for (unsigned gap = 1; gap < blockDim.x; gap *= 2) {
        __syncthreads();
        if (tid % (2 * gap) == 0 && tid + gap < blockDim.x) s[tid] += s[tid + gap];
    }
    if (tid == 0) sums[blockIdx.x] = s[0];
}
