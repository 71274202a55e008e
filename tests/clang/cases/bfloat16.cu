// __nv_bfloat16: 8 bits of precision and float's range.
#include <cuda_bf16.h>
extern "C" __global__ void numbers(float* f, unsigned short* bits) {
  const __nv_bfloat16 x = __float2bfloat16(1.5f), y = __float2bfloat16(2.25f);
  f[0] = __bfloat162float(x + y);
  f[1] = (float)(x * y);
  f[2] = (float)__hfma(x, y, x);
  f[3] = (float)(__float2bfloat16(256.0f) + __float2bfloat16(1.0f));
  f[4] = x < y;
  const __nv_bfloat162 p = __floats2bfloat162_rn(1.0f, 2.0f), q = __bfloat162bfloat162(x);
  const __nv_bfloat162 r = __hadd2(p, q);
  f[5] = __low2float(r) + 10 * __high2float(r);
  bits[0] = __bfloat16_as_ushort(__float2bfloat16(1.00390625f));  // halfway: to even
  bits[1] = __bfloat16_as_ushort(__float2bfloat16(1.01171875f));
  bits[2] = __bfloat16_as_ushort(__float2bfloat16(3.4e38f));
}
// launch: numbers --grid 1 --block 1 --arg float32[6]=0 --arg uint16[3]=0
// expect: arg 0 = 3.75 3.375 4.875 256 1 37.5
// expect: arg 1 = 0x3f80 0x3f82 0x7f80
// profile: H200
