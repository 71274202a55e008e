// launch: sum --grid 4 --block 64 --arg int32[256]=ones --arg int32[4]=zeros --arg int32[1]=zeros --arg int32[1]=zeros
// expect: clean
#include <cuda/atomic>
__global__ void sum(const int* in, int* partial, int* done, int* total) {
  if (threadIdx.x != 0) return;
  int mine = 0;
  for (int i = 0; i < blockDim.x; ++i) mine += in[blockIdx.x * blockDim.x + i];
  partial[blockIdx.x] = mine;
  cuda::atomic_ref<int, cuda::thread_scope_device> tickets(*done);
  if (tickets.fetch_add(1, cuda::memory_order_acq_rel) != gridDim.x - 1) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
  total[0] = sum;
  done[0] = 0;
}
