// launch: fill --grid 4 --block 64 --arg int32[256]=zeros --arg int32[256]=zeros
// The value follows from the index, so that all who have the same index store the same. Most elements are left out.
__global__ void fill(int* out, int* marks) {
  int i = blockIdx.x + threadIdx.x;
  out[i] = 3 * i;  // expect: race global Both have computed the same index, race global not: harmless
  marks[i] = 1;    // expect: race global ook at how
}
