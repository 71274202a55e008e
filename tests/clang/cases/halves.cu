// half and half2: operators, functions, conversions, atomics. Sums are rounded to 11 bits.
#include <cuda_fp16.h>
extern "C" __global__ void halves(float* f, unsigned short* bits, int* a) {
  const __half x = __float2half(1.5f), y = 2.25f, big = __float2half(2048.0f);
  f[0] = __half2float(x + y);
  f[1] = (float)(x * y);
  f[2] = __half2float(__hfma(x, y, __float2half(1.0f)));
  f[3] = (float)(big + __float2half(1.0f));
  f[4] = (float)hsqrt(__float2half(9.0f));
  f[5] = (float)__hdiv(x, __float2half(3.0f));
  const __half2 p = __floats2half2_rn(1.0f, 2.0f), q = __half2half2(x);
  const __half2 r = __hadd2(p, q), s = __hfma2(p, q, r);
  f[6] = __low2float(r) + 10 * __high2float(r);
  const float2 w = __half22float2(s);
  f[7] = w.x + 10 * w.y;
  f[8] = (float)__hmax(x, y) + (float)__hneg(y) + (float)__habs(__hneg(x));
  f[9] = (float)hexp(__float2half(0.0f)) + (float)__int2half_rn(7);
  bits[0] = __half_as_ushort(__float2half(1.0f));
  bits[1] = __half_as_ushort(__float2half(65520.0f));
  bits[2] = __half_as_ushort(__float2half_rz(65535.0f));
  bits[3] = __half_as_ushort(__ushort_as_half(0x1234));
  a[0] = (x < y) + 2 * (x == y) + 4 * __hge(y, x) + 8 * __hbgt2(r, p);
  a[1] = __half2int_rz(__float2half(-2.75f)) + 10 * __half2int_rn(__float2half(2.5f));
  __shared__ __half total;
  __shared__ __half2 both;
  total = 0.0f;
  both = __float2half2_rn(0.0f);
  atomicAdd(&total, x);
  atomicAdd(&both, p);
  f[10] = (float)total + (float)both.x + (float)both.y;
}
// launch: halves --grid 1 --block 1 --arg float32[11]=0 --arg uint16[4]=0 --arg int32[2]=0
// expect: arg 0 = 3.75 3.375 4.375 2048 3 0.5 37.5 69 1.5 8 4.5
// expect: arg 1 = 0x3c00 0x7c00 0x7bff 0x1234
// expect: arg 2 = 13 18
