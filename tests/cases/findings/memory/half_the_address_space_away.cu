// launch: far --grid 1 --block 1 --arg int8[16]=zeros
// As far from the array as 64 bits can say.
__global__ void far(char* data) {
  *(int*)(data + (1ull << 63)) = 1;  // expect: memory global
}
