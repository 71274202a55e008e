// launch: count --grid 4 --block 64 --arg int32[512]=zeros --arg int32=512
// Each thread begins at its own element, and then goes on by one block's width instead of the grid's.
__global__ void count(int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
    out[i] += 1;  // expect: race global where its loop begins and how far each turn goes on, race global If several threads are meant to change one element, use an atomic such as atomicAdd.
}
