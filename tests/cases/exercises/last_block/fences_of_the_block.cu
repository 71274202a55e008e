// told: count within their own block only
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
    __threadfence_block();
    if (atomicAdd(count, 1) != gridDim.x - 1) return;
    __threadfence_block();
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += partial[b];
    *result = all;
    atomicExch(count, 0);
}
