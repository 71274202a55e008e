// launch: leave --grid 2 --block 64 --arg int32[1]=zeros
// The test ends the thread instead of standing around the store.
__global__ void leave(int* done) {
  if (done[0] != 0) return;
  done[0] = 1;  // expect: race global not: harmless
}
