// Each block waits for the one before it, though they begin together.
extern "C" __global__ void in_turn(int* done, int* order, int* next) {
  __shared__ int mine;
  const int b = blockIdx.x;
  if (threadIdx.x == 0) {
    while (atomicAdd(&done[b], 0) == 0) {
    }
    mine = atomicAdd(next, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    order[b] = mine;
    __threadfence();
    atomicExch(&done[b + 1], 1);
  }
}
// launch: in_turn --grid 1024 --block 32 --arg int32[1025]=1,0,… --arg int32[1024]=0,… --arg int32[1]=0
// expect: arg 1 = iota
