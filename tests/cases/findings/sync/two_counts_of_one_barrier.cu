// launch: pass --grid 1 --block 96 --arg int32[96]=iota
// status: cudaErrorLaunchTimeout
__global__ void pass(int* data) {
  int t = threadIdx.x;
  if (t < 32) { asm volatile("bar.arrive 1, 96;" ::: "memory"); } else { asm volatile("bar.sync 1, 128;" ::: "memory"); }  // expect: sync
  data[t] += 1;
}
