// Asynchronous copies: the pipeline's primitives, memcpy_async of a group, a barrier object, a pipeline object.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
extern "C" __global__ void copies(const int* in, int* out) {
  __shared__ int tile[4][64];
  __shared__ cuda::barrier<cuda::thread_scope_block> there;
  const auto block = cg::this_thread_block();
  const unsigned t = threadIdx.x;
  if (t == 0) init(&there, 64);
  __syncthreads();
  __pipeline_memcpy_async(&tile[0][t], &in[t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  cg::memcpy_async(block, tile[1], in, 256);
  cg::wait(block);
  cuda::memcpy_async(&tile[2][t], &in[t], 4, there);
  there.arrive_and_wait();
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[3][t], &in[t], 4, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  __syncthreads();
  const unsigned other = 63 - t;
  out[t] = tile[0][other] + 100 * tile[1][other] + 10000 * tile[2][other] + 1000000 * tile[3][other];
  pipe.consumer_release();
}
// launch: copies --grid 1 --block 64 --arg int32[64]=iota --arg int32[64]=0
// expect: arg 1 = 63636363 62626262 61616161 60606060 59595959 58585858 57575757 56565656 55555555 54545454 53535353 52525252 51515151 50505050 49494949 48484848 47474747 46464646 45454545 44444444 43434343 42424242 41414141 40404040 39393939 38383838 37373737 36363636 35353535 34343434 33333333 32323232 31313131 30303030 29292929 28282828 27272727 26262626 25252525 24242424 23232323 22222222 21212121 20202020 19191919 18181818 17171717 16161616 15151515 14141414 13131313 12121212 11111111 10101010 9090909 8080808 7070707 6060606 5050505 4040404 3030303 2020202 1010101 0
// On a GPU before 8.0 these copies are ordinary ones.
