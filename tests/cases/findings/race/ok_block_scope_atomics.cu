// launch: count --grid 2 --block 64 --arg int32[2]=zeros
// expect: clean
__global__ void count(int* counter) { atomicAdd_block(&counter[blockIdx.x], 1); }
