// launch: look --grid 3 --block 64 --arg int32[192]=iota --arg int32[1]=zeros --arg int32[192]=zeros
// expect: clean
__global__ void look(const int* data, volatile int* found, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[i] * data[i];
  __threadfence();
  if (data[i] % 5 == 0) found[0] = 1;  // a signal, and all say the same
}
