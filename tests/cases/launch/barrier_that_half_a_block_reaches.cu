extern "C" __global__ void half(int* a) {
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;");
    a[0] = 1;
  } else {
    asm volatile("bar.sync 2, 64;");
    a[1] = 1;
  }
}
// launch: half --grid 1 --block 64 --arg int32[2]=0
// status: cudaErrorLaunchTimeout
// says: Every lane of warp 1 waits at a barrier (line
