// The classic deadlock: each warp has one lock and waits for the other's.
extern "C" __global__ void both(int* locks, volatile int* taken) {
  if (threadIdx.x % 32) return;
  const int mine = threadIdx.x / 32;
  atomicExch(&locks[mine], 1);
  taken[mine] = 1;
  while (taken[1 - mine] == 0) {
  }
  while (atomicCAS(&locks[1 - mine], 0, 1) != 0) {
  }
}
// launch: both --grid 1 --block 64 --arg int32[2]=0 --arg int32[2]=0
// status: cudaErrorLaunchTimeout
// says: Lane 0 of warp 1
