// hint: No thread has written sums[16]
// writer: no thread
// expect: wrong 16
// passes: 5
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    extern __shared__ float s[];
    const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    if (blockIdx.x * blockDim.x >= n) return;
    s[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int width = blockDim.x; width > 1;) {
        const int half = (width + 1) / 2;
        if (tid < width / 2) s[tid] += s[tid + half];
        __syncthreads();
        width = half;
    }
    if (tid == 0) sums[blockIdx.x] = s[0];
}
