#include <cuda/atomic>
extern "C" __global__ void guarded_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> best(*result);
    const int mine = values[i];  // expect: memory
    if (mine > best.load(cuda::memory_order_relaxed)) best.fetch_max(mine, cuda::memory_order_relaxed);
}
