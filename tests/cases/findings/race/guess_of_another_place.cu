// launch: largest --grid 4 --block 64 --arg int32[256]=iota --arg int32[2]=zeros --arg int32[256]=zeros
// What is read plainly is not what atomicCAS compares: it may be out of date, and nobody finds that out.
__global__ void largest(const int* in, int* most, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = most[1];  // expect: race global
  int old = most[0], assumed;
  do {
    assumed = old;
    old = atomicCAS(most, assumed, max(in[i], assumed));
  } while (assumed != old);
  atomicAdd(most + 1, 1);
}
