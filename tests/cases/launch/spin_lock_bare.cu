// The lane that has the lock must go on while the others of its warp spin: CUDA promises that since Volta.
extern "C" __global__ void count(int* lock, int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *static_cast<volatile int*>(counter) = *static_cast<volatile int*>(counter) + 1;
  __threadfence();
  atomicExch(lock, 0);
}
// launch: count --grid 3 --block 64 --arg int32[1]=0 --arg int32[1]=0
// expect: arg 0 = 0
// expect: arg 1 = 192
