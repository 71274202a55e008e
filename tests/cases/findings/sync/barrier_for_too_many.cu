// Two warps wait at a barrier that counts three.
// launch: meet --grid 1 --block 64 --arg int32[64]=iota
// status: cudaErrorLaunchTimeout
__global__ void meet(int* data) {
  data[threadIdx.x] += 1;
  asm volatile("bar.sync 3, 96;" ::: "memory");  // expect: sync for 96 threads
}
