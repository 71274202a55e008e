// launch: count --grid 4 --block 64 --arg int32[1]=zeros
// There is no lock to speak of.
__global__ void count(int* total) {
  volatile int* c = total;
  c[0] += 1;  // expect: race global which volatile does not make one step, race global not: __threadfence
}
