// launch: copy --grid 1 --block 8 --arg float32[64]=iota --arg float32[32]=zeros
__global__ void copy(const float* in, float4* out) {
  out[threadIdx.x] = ((const float4*)(in + 1))[threadIdx.x];  // expect: memory global
}
