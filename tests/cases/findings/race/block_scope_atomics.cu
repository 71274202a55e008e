// launch: count --grid 2 --block 64 --arg int32[1]=zeros
__global__ void count(int* counter) {
  atomicAdd_block(&counter[0], 1);  // expect: race global
}
