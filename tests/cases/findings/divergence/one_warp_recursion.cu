// launch: numbers --grid 1 --block 32 --arg int32[32]=zeros
__device__ int fibonacci(int n) {
  if (n < 2) return n;  // expect: divergence
  return fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void numbers(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 8); }
