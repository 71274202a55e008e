// expect: wrong 0
// passes: 1
// told: thread (0,0,0) of block (0,0,0) wrote it
// hint: some values of the block are missing
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    extern __shared__ float s[];
    const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? x[i] : 0;
    __syncthreads();
    if (tid == 0) sums[blockIdx.x] = s[0];
}
