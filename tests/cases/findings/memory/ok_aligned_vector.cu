// launch: copy --grid 1 --block 8 --arg float32[36]=iota --arg float32[32]=zeros
// expect: clean
__global__ void copy(const float* in, float4* out) { out[threadIdx.x] = ((const float4*)(in + 4))[threadIdx.x]; }
