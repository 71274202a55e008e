// The last block adds with all of its threads; the counter goes back by itself.
// expect: passed
extern "C" __global__ void last_block(const int* values, int n, int* partial, int* count, int* result)
{
    __shared__ int sum;
    __shared__ bool last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, values[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc((unsigned*)count, gridDim.x - 1) == gridDim.x - 1;
        sum = 0;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) atomicAdd(&sum, partial[b]);
    __syncthreads();
    if (threadIdx.x == 0) *result = sum;
}
