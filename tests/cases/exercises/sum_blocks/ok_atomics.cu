// expect: passed
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
