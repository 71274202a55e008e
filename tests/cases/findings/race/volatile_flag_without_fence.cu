// launch: pass --grid 2 --block 32 --arg int32[1]=zeros --arg int32[1]=zeros --arg int32[1]=zeros
__global__ void pass(volatile int* data, volatile int* flag, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 42;  // expect: race global
    flag[0] = 1;   // expect: race global
  } else {
    while (flag[0] == 0) {
    }
    out[0] = data[0];
  }
}
