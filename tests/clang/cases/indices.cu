// threadIdx and its kin as numbers, as uint3 and as dim3; vectors and their make_ functions.
__device__ unsigned int sum_of(uint3 v) { return v.x + 10 * v.y + 100 * v.z; }
extern "C" __global__ void places(unsigned int* a) {
  const uint3 t = threadIdx;
  const dim3 b = blockDim;
  const unsigned int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x + blockIdx.x * 8;
  a[i] = sum_of(threadIdx) + 1000 * t.x + 10000 * b.y + 100000 * gridDim.x + warpSize - 32;
  if (sizeof(float3) != 12 || alignof(float4) != 16 || sizeof(uchar4) != 4 || alignof(int2) != 8) a[i] = 0;
  const float4 f = make_float4(1, 2, 3, 4);
  if (f.x + f.y + f.z + f.w != 10) a[i] = 0;
  const dim3 d(7);
  if (d.x != 7 || d.y != 1 || d.z != 1) a[i] = 0;
}
// launch: places --grid 2 --block 2,2,2 --arg uint32[16]=0
// expect: arg 0 = 220000 221001 220010 221011 220100 221101 220110 221111 220000 221001 220010 221011 220100 221101 220110 221111
