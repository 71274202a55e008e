// A block agrees on its largest value first; then one thread looks.
// expect: passed
#include <cuda/atomic>
extern "C" __global__ void guarded_max(const int* values, int n, int* result)
{
    __shared__ int best[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    best[threadIdx.x] = i < n ? values[i] : -2147483647 - 1;
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (threadIdx.x < gap) best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + gap]);
    }
    cuda::atomic_ref<int, cuda::thread_scope_device> all(*result);
    if (threadIdx.x == 0 && best[0] > all.load(cuda::memory_order_relaxed)) atomicMax(result, best[0]);
}
