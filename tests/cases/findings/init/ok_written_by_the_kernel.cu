// launch: fill --grid 2 --block 64 --arg int32[128]=unwritten
// expect: clean
__global__ void fill(volatile int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i;
  out[i] = out[i] + 1;
}
