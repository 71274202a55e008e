// launch: count --grid 1 --block 64 --arg int32[1]=zeros
__global__ void count(int* out) {
  __shared__ int c;
  c = 0;  // expect: race shared If each thread should have an element of its own, the index is wrong
  __syncthreads();
  c += 1;  // expect: race shared Use an atomic such as atomicAdd
  __syncthreads();
  if (threadIdx.x == 0) out[0] = c;
}
