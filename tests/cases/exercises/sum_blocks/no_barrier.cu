// told: at the end of each turn of the loop, outside any `if`
// hint: nothing makes sure that the other thread has already stored it
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    extern __shared__ float s[];
    const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int width = blockDim.x; width > 1;) {
        const int half = (width + 1) / 2;
        if (tid < width / 2) s[tid] += s[tid + half];  // expect: race
        width = half;
    }
    if (tid == 0) sums[blockIdx.x] = s[0];
}
// passes: 1
