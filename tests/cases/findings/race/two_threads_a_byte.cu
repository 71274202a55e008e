// launch: halves --grid 1 --block 64 --arg uint8[32]=zeros
__global__ void halves(unsigned char* bytes) {
  bytes[threadIdx.x / 2] = threadIdx.x;  // expect: race global Both have computed the same index
}
