extern "C" __global__ void past(int* out) {
  volatile int* piece = static_cast<int*>(malloc(10 * sizeof(int)));
  for (int i = 0; i <= 10; ++i) piece[i] = i;
  out[0] = piece[9];
}
// launch: past --grid 1 --block 1 --arg int32[1]=0
// status: cudaErrorIllegalAddress
