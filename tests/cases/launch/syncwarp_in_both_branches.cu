// __syncwarp waits for lanes, wherever they call it.
extern "C" __global__ void meet(int* a, int* b) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    a[lane] = lane;
    __syncwarp();
  } else {
    __syncwarp();
    b[lane - 16] = *static_cast<volatile int*>(&a[lane - 16]) + 100;
  }
}
// launch: meet --grid 1 --block 32 --arg int32[16]=-1,… --arg int32[16]=0
// expect: arg 1 = 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115
