// cuda::atomic and cuda::atomic_ref.
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> counter;
extern "C" __global__ void count(int* a, unsigned long long* w, float* f) {
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(a[0]), most(a[1]), bits(a[2]), once(a[3]);
  sum.fetch_add(2, cuda::memory_order_relaxed);
  most.fetch_max(threadIdx.x, cuda::memory_order_acq_rel);
  bits |= 1 << threadIdx.x % 8;
  int expected = 0;
  if (once.compare_exchange_strong(expected, threadIdx.x + 5)) once.fetch_sub(threadIdx.x);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_block>(w[0]).fetch_add(1ull << 40);
  cuda::atomic_ref<float> total(*f);
  total += 0.5f;
  counter++;
  __syncthreads();
  if (threadIdx.x == 0) a[4] = counter.load(cuda::memory_order_acquire) + counter.exchange(9) + counter;
}
// launch: count --grid 1 --block 64 --arg int32[5]=0 --arg uint64[1]=0 --arg float32[1]=0
// expect: arg 0 = 128 63 255 5 137
// expect: arg 1 = 0x400000000000
// expect: arg 2 = 32
