// launch: add_neighbour --grid 1 --block 64 --arg float32[64]=iota
// The copy may read an element after its thread has written the result there.
#include <cuda_pipeline.h>

__global__ void add_neighbour(float* a) {
  __shared__ float tile[64];
  const unsigned t = threadIdx.x;
  const float mine = a[t];
  __pipeline_memcpy_async(&tile[t], &a[t], sizeof(float));
  __pipeline_commit();
  a[t] = 2 * mine;  // expect: race global may still be reading
  __pipeline_wait_prior(0);
  __syncthreads();
  if (tile[63 - t] < 0) a[t] = 0;
}
