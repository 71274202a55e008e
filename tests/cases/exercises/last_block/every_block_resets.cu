// expect: wrong 0
// hint: No thread has written result[0]
// writer: no thread
// Every block sets the counter back, so no block gets the last ticket.
extern "C" __global__ void last_block(
    const int* values, int n, int* partial,
    int* count, int* result)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, values[i]);
    __syncthreads();
    if (threadIdx.x > 0) return;
    partial[blockIdx.x] = sum;
    __threadfence();
    if (atomicAdd(count, 1) == gridDim.x - 1) {
        __threadfence();
        int all = 0;
        for (int b = 0; b < gridDim.x; ++b) all += partial[b];
        *result = all;
    }
    atomicExch(count, 0);
}
