extern "C" __global__ void wait(volatile int* flag) {
  while (*flag == 0) {
  }
}
// launch: wait --grid 1 --block 32 --arg int32[1]=0
// status: cudaErrorLaunchTimeout
// says: Every lane of warp 0 is at work (line
