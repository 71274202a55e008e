// launch: largest --grid 4 --block 64 --arg float32[256]=iota --arg float32[1]=zeros --arg float64[1]=zeros
// expect: clean
// CUDA's guide begins such loops with a plain read, too: where it is out of date, atomicCAS finds that out.
__device__ float at_most_once(float* address, float value) {
  int* bits = (int*)address;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}
__device__ void add(double* address, double value) {
  unsigned long long* bits = (unsigned long long*)address;
  unsigned long long old = *bits, assumed;
  while (true) {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    if (assumed == old) break;
  }
}
__global__ void largest(const float* in, float* most, double* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  at_most_once(most, in[i]);
  add(sum, in[i]);
}
