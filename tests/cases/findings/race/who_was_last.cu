// launch: last --grid 1 --block 64 --arg int32[1]=zeros
__global__ void last(int* who) {
  who[0] = threadIdx.x;  // expect: race global Let one
}
