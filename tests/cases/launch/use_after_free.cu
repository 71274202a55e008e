extern "C" __global__ void late(int* out) {
  int* piece = static_cast<int*>(malloc(64));
  piece[3] = 7;
  free(piece);
  out[0] = static_cast<volatile int*>(piece)[3];
}
// launch: late --grid 1 --block 1 --arg int32[1]=0
// status: cudaErrorIllegalAddress
// says: Line 4 has freed that block before.
