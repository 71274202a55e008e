__global__ void small(int* a) {
  a[0] = 1;
}
__global__ void reverse(int* a) {  // expect: error reverse declares 80000 bytes of __shared__ variables; CUDA allows 49152
  __shared__ int tile[20000];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[19999 - threadIdx.x];
}
