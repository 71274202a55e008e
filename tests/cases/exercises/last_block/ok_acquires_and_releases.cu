// expect: passed
#include <cuda/atomic>
extern "C" __global__ void last_block(const int* values, int n, int* partial, int* count, int* result)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, values[i]);
    __syncthreads();
    if (threadIdx.x > 0) return;
    partial[blockIdx.x] = sum;
    cuda::atomic_ref<int, cuda::thread_scope_device> tickets(*count);
    if (tickets.fetch_add(1, cuda::memory_order_acq_rel) != gridDim.x - 1) return;
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += partial[b];
    *result = all;
    tickets.store(0, cuda::memory_order_relaxed);
}
