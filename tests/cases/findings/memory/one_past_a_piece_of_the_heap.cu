// launch: past --grid 1 --block 1 --arg int32[1]=zeros
extern "C" __global__ void past(int* out) {
  volatile int* piece = static_cast<int*>(malloc(10 * sizeof(int)));
  for (int i = 0; i <= 10; ++i) piece[i] = i;  // expect: memory global Check how the line computes its index
  out[0] = piece[9];
}
