// __nv_bfloat16 and __nv_bfloat162: the upper half of a float, 8 bits of precision.
//
// Sums, products and quotients of two go by way of float, whose 24 bits are enough that the second rounding changes nothing
// (Figueroa: When is Double Rounding Innocuous?, SIGNUM Newsletter 30, 1995).
#pragma once
#pragma clang system_header

#include <warpbook/letters_away.h>
#include <warpbook/small_floats.h>

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __nv_bfloat16 {
  unsigned short warpbook_bits;

  __nv_bfloat16() = default;
  WARPBOOK_BOTH constexpr __nv_bfloat16(float value) : warpbook_bits(warpbook_round(value)) {}
  WARPBOOK_BOTH constexpr __nv_bfloat16(double value) : warpbook_bits(warpbook_round(warpbook_to_odd(value))) {}
  WARPBOOK_BOTH constexpr __nv_bfloat16(int value) : __nv_bfloat16((double)value) {}
  WARPBOOK_BOTH constexpr __nv_bfloat16(unsigned int value) : __nv_bfloat16((double)value) {}
  WARPBOOK_BOTH constexpr __nv_bfloat16(short value) : __nv_bfloat16((float)value) {}
  WARPBOOK_BOTH constexpr __nv_bfloat16(unsigned short value) : __nv_bfloat16((float)value) {}
  WARPBOOK_BOTH constexpr __nv_bfloat16(long long value) : __nv_bfloat16((double)value) {}
  WARPBOOK_BOTH constexpr __nv_bfloat16(unsigned long long value) : __nv_bfloat16((double)value) {}
  WARPBOOK_BOTH constexpr __nv_bfloat16(long value) : __nv_bfloat16((double)value) {}
  WARPBOOK_BOTH constexpr __nv_bfloat16(unsigned long value) : __nv_bfloat16((double)value) {}
  WARPBOOK_BOTH __nv_bfloat16(__nv_bfloat16_raw bits) : warpbook_bits(bits.x) {}
  WARPBOOK_BOTH constexpr operator float() const { return __builtin_bit_cast(float, (unsigned int)warpbook_bits << 16); }
  WARPBOOK_BOTH operator __nv_bfloat16_raw() const { return {warpbook_bits}; }
  WARPBOOK_BOTH explicit operator double() const { return (float)*this; }
  WARPBOOK_BOTH explicit operator int() const { return (int)(float)*this; }
  WARPBOOK_BOTH explicit operator unsigned int() const { return (unsigned int)(float)*this; }
  WARPBOOK_BOTH explicit operator long long() const { return (long long)(float)*this; }
  WARPBOOK_BOTH explicit operator bool() const { return (float)*this != 0.0f; }

 private:
  /// To the nearest, halves to even; every NaN is the same one.
  static WARPBOOK_BOTH constexpr unsigned short warpbook_round(float value) {
    if (value != value) return 0x7fff;
    const unsigned int bits = __builtin_bit_cast(unsigned int, value);
    return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
  }
  /// A float that still tells on which side of a half the double was: its last bit is set where anything was cut off.
  static WARPBOOK_BOTH constexpr float warpbook_to_odd(double value) {
    const float near = (float)value;
    if ((double)near == value || value != value) return near;
    const unsigned int bits = __builtin_bit_cast(unsigned int, near);
    const bool outward = ((double)near > value) == (value > 0);
    return __builtin_bit_cast(float, (outward ? bits - 1 : bits) | 1u);
  }
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  WARPBOOK_BOTH constexpr __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

WARPBOOK_DEVICE __nv_bfloat16 warpbook_add(__nv_bfloat16 a, __nv_bfloat16 b) { return __fadd_rn((float)a, (float)b); }
WARPBOOK_DEVICE __nv_bfloat16 warpbook_sub(__nv_bfloat16 a, __nv_bfloat16 b) { return __fsub_rn((float)a, (float)b); }
WARPBOOK_DEVICE __nv_bfloat16 warpbook_mul(__nv_bfloat16 a, __nv_bfloat16 b) { return __fmul_rn((float)a, (float)b); }
WARPBOOK_DEVICE __nv_bfloat16 warpbook_div(__nv_bfloat16 a, __nv_bfloat16 b) { return __fdiv_rn((float)a, (float)b); }
WARPBOOK_DEVICE __nv_bfloat16 warpbook_fma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  // The product is exact in double, and the sum is all but exact: what is cut off cannot reach a half.
  return __nv_bfloat16(fma((double)a, (double)b, (double)c));
}
WARPBOOK_DEVICE __nv_bfloat16 warpbook_min(__nv_bfloat16 a, __nv_bfloat16 b) { return fminf((float)a, (float)b); }
WARPBOOK_DEVICE __nv_bfloat16 warpbook_max(__nv_bfloat16 a, __nv_bfloat16 b) { return fmaxf((float)a, (float)b); }

WARPBOOK_SMALL_CONVERSIONS(bfloat16, __nv_bfloat16, __nv_bfloat162)
WARPBOOK_SMALL_FLOATS(__nv_bfloat16, __nv_bfloat162)

/// The sum is computed as a whole word and exchanged where nobody came between.
WARPBOOK_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value) {
  unsigned int* const word = (unsigned int*)address;
  unsigned int old = *(volatile unsigned int*)word;
  for (;;) {
    const unsigned int sum = __builtin_bit_cast(unsigned int, __hadd2(__builtin_bit_cast(__nv_bfloat162, old), value));
    const unsigned int seen = atomicCAS(word, old, sum);
    if (seen == old) return __builtin_bit_cast(__nv_bfloat162, old);
    old = seen;
  }
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
WARPBOOK_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
  unsigned short* const word = (unsigned short*)address;
  unsigned short old = *(volatile unsigned short*)word;
  for (;;) {
    const unsigned short sum = __bfloat16_as_ushort(__hadd(__ushort_as_bfloat16(old), value));
    const unsigned short seen = atomicCAS(word, old, sum);
    if (seen == old) return __ushort_as_bfloat16(old);
    old = seen;
  }
}
#endif

#include <warpbook/letters_back.h>
