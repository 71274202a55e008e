// launch: count --grid 2 --block 64 --arg int32[1]=zeros
// expect: clean
__global__ void count(int* counter) { atomicAdd(&counter[0], 1); }
