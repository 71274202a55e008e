__global__ void big(float* out) {  // expect: error big declares 65536 bytes of __shared__ variables
  __shared__ float all[16384];
  all[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = all[threadIdx.x ^ 1];
}
