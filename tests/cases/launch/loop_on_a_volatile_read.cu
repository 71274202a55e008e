// It looks at the flag in each turn, and waits for somebody who never comes.
__global__ void wait(volatile int* ready, int* out) {
  if (threadIdx.x == 0)
    while (*ready < 2);
  __syncthreads();
  out[threadIdx.x] = 1;
}
// launch: wait --grid 1 --block 64 --arg int32[1]=0 --arg int32[64]=0,…
// status: cudaErrorLaunchTimeout
// says: Does every loop end?
