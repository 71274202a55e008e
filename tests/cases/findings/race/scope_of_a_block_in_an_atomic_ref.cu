// launch: count --grid 4 --block 64 --arg int32[1]=zeros
#include <cuda/atomic>
__global__ void count(int* total)
{
    cuda::atomic_ref<int, cuda::thread_scope_block> all(*total);
    all.fetch_add(1, cuda::memory_order_relaxed);  // expect: race global cuda::thread_scope_device, not cuda::thread_scope_block
}
