// launch: take --grid 4 --block 32 --arg int32[1]=zeros --arg int32[4]=zeros
// Several blocks may find the place free, each takes it, and all of them store the same.
__global__ void take(int* taken, int* won) {
  if (threadIdx.x != 0) return;
  if (taken[0] == 0) {
    taken[0] = 1;  // expect: race global compares and stores
    won[blockIdx.x] = 1;
  }
}
