// expect: passed
#include <cuda/atomic>
extern "C" __global__ void guarded_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> best(*result);
    if (values[i] > best.load()) best.fetch_max(values[i]);
}
