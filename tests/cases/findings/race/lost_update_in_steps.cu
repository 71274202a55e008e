// launch: tally_all --grid 32 --block 64 --arg int32[1]=zeros
// All threads may store the same value, and yet most of what they count is lost.
__global__ void tally_all(int* tally) {
  int seen = tally[0];
  seen += 1;
  tally[0] = seen;  // expect: race global Use an atomic such as atomicAdd
}
