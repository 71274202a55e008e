// launch: step --grid 4 --block 64 --arg int32[257]=iota --arg int32[1]=zeros
// The counter counts; nobody looks at it, so it cannot tell that another block has come so far.
__global__ void step(int* a, int* changes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    int right = a[i + 1];
    __syncthreads();
    a[i] = right;  // expect: race global not: Call __threadfence() between
    atomicAdd(changes, 1);
    __syncthreads();
  }
}
