// passes: 2
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    extern __shared__ float s[];
    const int tid = threadIdx.x;
    s[tid] = x[blockIdx.x * blockDim.x + tid];  // expect: memory
    __syncthreads();
    for (int width = blockDim.x; width > 1;) {
        const int half = (width + 1) / 2;
        if (tid < width / 2) s[tid] += s[tid + half];
        __syncthreads();
        width = half;
    }
    if (tid == 0) sums[blockIdx.x] = s[0];
}
