// What the condition looks at is read once, before the loop: no other thread could end it.
__global__ void wait(int* ready, int* out) {
  if (threadIdx.x == 0) {
    atomicAdd(ready, 1);
    while (*ready < 2);
  }
  __syncthreads();
  out[threadIdx.x] = 1;
}
// launch: wait --grid 1 --block 64 --arg int32[1]=0 --arg int32[64]=0,…
// status: cudaErrorLaunchTimeout
// says: The loop of line 5 does nothing but turn
