// passes: 1
// hint: Several threads write the same element of `sums`
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) sums[blockIdx.x] = 0;
    __syncthreads();
    if (i < n) sums[blockIdx.x] += x[i];  // expect: race
}
