// launch: grow --grid 1 --block 32 --arg float32[256]=ones
__global__ void grow(float* data) {
  data[threadIdx.x * 8] += 1;  // expect: coalescing global
}
