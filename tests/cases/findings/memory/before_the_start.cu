// launch: shift --grid 1 --block 64 --arg float64[64]=iota --arg float64[64]=zeros
__global__ void shift(const double* in, double* out) {
  int i = threadIdx.x;
  out[i] = in[i - 1];  // expect: memory global Check how the line computes its index: the first element has index 0
}
