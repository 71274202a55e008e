// hint: reads a place in shared memory that no thread has written
// passes: 2
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    extern __shared__ float s[];
    const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    if (i < n) s[tid] = x[i];
    __syncthreads();
    for (int width = blockDim.x; width > 1;) {
        const int half = (width + 1) / 2;
        if (tid < width / 2) s[tid] += s[tid + half];  // expect: init
        __syncthreads();
        width = half;
    }
    if (tid == 0) sums[blockIdx.x] = s[0];
}
