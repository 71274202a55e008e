// Each block adds up its part of x and stores its
// sum in partial. Then one block adds these sums.
// VERSION: 0 the ticket alone, 1 a fence before it,
// 2 fences before and after it, 3 partial is
// volatile, 4 fences for the block only, 5 a ticket
// that releases and acquires, 6 the same for the
// block only, 7 a barrier instead of a ticket.
// RESET: the counter is 0 for the next launch.
#if VERSION == 5 || VERSION == 6
#include <cuda/atomic>
#endif
#if VERSION == 6
#define SCOPE cuda::thread_scope_block
#else
#define SCOPE cuda::thread_scope_device
#endif
#if VERSION == 3
#define PARTIAL volatile int
#else
#define PARTIAL int
#endif

extern "C" __global__ void total(
    const int* x, PARTIAL* partial,
    int* count, int* out)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[blockIdx.x * blockDim.x
                      + threadIdx.x]);
    __syncthreads();

#if VERSION == 7
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
    __syncthreads();
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
#else
    if (threadIdx.x > 0) return;
    partial[blockIdx.x] = sum;
#if VERSION == 1 || VERSION == 2
    __threadfence();
#elif VERSION == 4
    __threadfence_block();
#endif
#if VERSION == 5 || VERSION == 6
    cuda::atomic_ref<int, SCOPE> counter(*count);
    const int ticket = counter.fetch_add(
        1, cuda::memory_order_acq_rel);
#else
    const int ticket = atomicAdd(count, 1);
#endif
    if (ticket != gridDim.x - 1) return;
#if VERSION == 2
    __threadfence();
#elif VERSION == 4
    __threadfence_block();
#endif
#endif

    // One thread of the grid comes here.
    int all = 0;
    for (int b = gridDim.x - 1; b >= 0; --b)
        all += partial[b];
    *out = all;
#if RESET && VERSION != 7
    atomicExch(count, 0);
#endif
}
