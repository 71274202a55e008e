// Atomic for the threads of its own block only.
#include <cuda/atomic>
extern "C" __global__ void guarded_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::atomic_ref<int, cuda::thread_scope_block> best(*result);
    const int seen = best.load(cuda::memory_order_relaxed);
    if (values[i] > seen) atomicMax(result, values[i]);  // expect: race
}
