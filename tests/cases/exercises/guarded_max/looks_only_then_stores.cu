// The look and the store are atomic, each by itself.
// expect: wrong 0
// hint: there is a larger value
#include <cuda/atomic>
extern "C" __global__ void guarded_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> best(*result);
    if (values[i] > best.load(cuda::memory_order_relaxed)) best.store(values[i], cuda::memory_order_relaxed);
}
