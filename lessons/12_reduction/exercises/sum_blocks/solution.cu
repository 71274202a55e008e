extern "C" __global__ void sum_blocks(
    const float* x, int n, float* sums)
{
    extern __shared__ float s[];  // one a thread
    const int tid = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int width = blockDim.x; width > 1;) {
        const int half = (width + 1) / 2;
        if (tid < width / 2)
            s[tid] += s[tid + half];
        __syncthreads();
        width = half;
    }
    if (tid == 0) sums[blockIdx.x] = s[0];
}
