// launch: scale --grid 4 --block 64 --arg float32[1024]=iota --arg float32[1]=ones
// expect: clean
__global__ void scale(float4* data, const float* factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float f = factor[0];
  float4 v = data[i];
  data[i] = make_float4(f * v.x, f * v.y, f * v.z, f * v.w);
}
