// The consumer waits at a barrier that nobody fills.
// launch: pass --grid 1 --block 64 --arg int32[64]=iota
// status: cudaErrorLaunchTimeout
__global__ void pass(int* data) {
  __shared__ int box[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    box[lane] = data[lane];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");  // expect: sync barrier 2 (line 11) for 64 threads
    data[32 + lane] = box[lane];
  }
}
