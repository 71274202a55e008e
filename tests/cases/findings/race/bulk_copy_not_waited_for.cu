// launch: twice --grid 2 --block 64 --profile H200 --arg float32[128]=iota --arg float32[128]=zeros
// __syncthreads() does not tell that a bulk copy has come: its mbarrier does.
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__global__ void twice(const float* in, float* out) {
  __shared__ alignas(128) float tile[64];
  __shared__ unsigned long long here;
  const unsigned t = threadIdx.x, first = blockIdx.x * 64;
  if (t == 0) {
    ptx::mbarrier_init(&here, 1);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  if (t == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &here, sizeof tile);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + first, sizeof tile, &here);  // expect: race shared wait at the barrier object
  }
  __syncthreads();
  out[first + t] = 2 * tile[63 - t];
}
