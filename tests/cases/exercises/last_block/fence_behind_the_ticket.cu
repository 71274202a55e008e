// The fence stands behind the ticket, where the store may already be late.
// hint: for whom does it count
extern "C" __global__ void last_block(const int* values, int n, int* partial, int* count, int* result)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, values[i]);
    __syncthreads();
    if (threadIdx.x > 0) return;
    partial[blockIdx.x] = sum;  // expect: race
    const int ticket = atomicAdd(count, 1);
    __threadfence();
    if (ticket != gridDim.x - 1) return;
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += partial[b];
    *result = all;
    atomicExch(count, 0);
}
