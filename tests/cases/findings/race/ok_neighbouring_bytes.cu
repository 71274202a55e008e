// launch: fill --grid 2 --block 64 --arg uint8[128]=zeros
// expect: clean
__global__ void fill(unsigned char* bytes) {
  int i = blockIdx.x + 2 * threadIdx.x;  // two blocks share every word, and no byte
  bytes[i] = i;
}
