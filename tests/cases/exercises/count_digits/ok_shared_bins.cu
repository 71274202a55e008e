// expect: passed
extern "C" __global__ void count_digits(const int* digits, int* counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int mine[10];
    for (int d = threadIdx.x; d < 10; d += blockDim.x) mine[d] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&mine[digits[i]], 1);
    __syncthreads();
    for (int d = threadIdx.x; d < 10; d += blockDim.x) atomicAdd(&counts[d], mine[d]);
}
