// __half and __half2: 16-bit floating point with 11 bits of precision (IEEE 754 binary16).
#pragma once
#pragma clang system_header

#include <warpbook/letters_away.h>
#include <warpbook/small_floats.h>

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

struct __half {
  _Float16 warpbook_value;

  __half() = default;
  WARPBOOK_BOTH constexpr __half(_Float16 value) : warpbook_value(value) {}
  WARPBOOK_BOTH constexpr __half(float value) : warpbook_value((_Float16)value) {}
  WARPBOOK_BOTH constexpr __half(double value) : warpbook_value((_Float16)value) {}
  WARPBOOK_BOTH constexpr __half(int value) : warpbook_value((_Float16)value) {}
  WARPBOOK_BOTH constexpr __half(unsigned int value) : warpbook_value((_Float16)value) {}
  WARPBOOK_BOTH constexpr __half(short value) : warpbook_value((_Float16)value) {}
  WARPBOOK_BOTH constexpr __half(unsigned short value) : warpbook_value((_Float16)value) {}
  WARPBOOK_BOTH constexpr __half(long value) : warpbook_value((_Float16)value) {}
  WARPBOOK_BOTH constexpr __half(unsigned long value) : warpbook_value((_Float16)value) {}
  WARPBOOK_BOTH constexpr __half(long long value) : warpbook_value((_Float16)value) {}
  WARPBOOK_BOTH constexpr __half(unsigned long long value) : warpbook_value((_Float16)value) {}
  WARPBOOK_BOTH __half(__half_raw bits) : warpbook_value(__builtin_bit_cast(_Float16, bits)) {}
  WARPBOOK_BOTH constexpr operator float() const { return (float)warpbook_value; }
  WARPBOOK_BOTH operator __half_raw() const { return __builtin_bit_cast(__half_raw, warpbook_value); }
  WARPBOOK_BOTH explicit operator double() const { return (double)warpbook_value; }
  WARPBOOK_BOTH explicit operator int() const { return (int)warpbook_value; }
  WARPBOOK_BOTH explicit operator unsigned int() const { return (unsigned int)warpbook_value; }
  WARPBOOK_BOTH explicit operator long long() const { return (long long)warpbook_value; }
  WARPBOOK_BOTH explicit operator unsigned long long() const { return (unsigned long long)warpbook_value; }
  WARPBOOK_BOTH explicit operator short() const { return (short)warpbook_value; }
  WARPBOOK_BOTH explicit operator bool() const { return warpbook_value != 0; }
};

struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  WARPBOOK_BOTH constexpr __half2(const __half& a, const __half& b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

WARPBOOK_DEVICE __half warpbook_add(__half a, __half b) { return a.warpbook_value + b.warpbook_value; }
WARPBOOK_DEVICE __half warpbook_sub(__half a, __half b) { return a.warpbook_value - b.warpbook_value; }
WARPBOOK_DEVICE __half warpbook_mul(__half a, __half b) { return a.warpbook_value * b.warpbook_value; }
WARPBOOK_DEVICE __half warpbook_div(__half a, __half b) { return (float)a / (float)b; }
WARPBOOK_DEVICE __half warpbook_fma(__half a, __half b, __half c) {
  return __builtin_fmaf16(a.warpbook_value, b.warpbook_value, c.warpbook_value);
}
WARPBOOK_DEVICE __half warpbook_min(__half a, __half b) { return fminf((float)a, (float)b); }
WARPBOOK_DEVICE __half warpbook_max(__half a, __half b) { return fmaxf((float)a, (float)b); }

WARPBOOK_SMALL_CONVERSIONS(half, __half, __half2)
WARPBOOK_SMALL_FLOATS(__half, __half2)

#define WARPBOOK_ROUNDED(SUFFIX, PTX)                                                                    \
  WARPBOOK_DEVICE __half __float2half_##SUFFIX(float x) {                                                \
    unsigned short bits;                                                                                 \
    asm("cvt." PTX ".f16.f32 %0, %1;" : "=h"(bits) : "f"(x));                                            \
    return __ushort_as_half(bits);                                                                       \
  }
WARPBOOK_ROUNDED(rz, "rz")
#undef WARPBOOK_ROUNDED
/// PTX rounds to half precision to the nearest and to zero only: one step further in the direction that is asked for.
WARPBOOK_DEVICE __half __float2half_ru(float x) {
  const __half cut = __float2half_rz(x);
  return x > 0.0f && (float)cut < x ? __ushort_as_half((unsigned short)(__half_as_ushort(cut) + 1)) : cut;
}
WARPBOOK_DEVICE __half __float2half_rd(float x) {
  const __half cut = __float2half_rz(x);
  return x < 0.0f && (float)cut > x ? __ushort_as_half((unsigned short)(__half_as_ushort(cut) + 1)) : cut;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
WARPBOOK_DEVICE __half2 atomicAdd(__half2* address, __half2 value) {
  unsigned int old;
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
               : "=r"(old)
               : "l"(address), "r"(__builtin_bit_cast(unsigned int, value))
               : "memory");
  return __builtin_bit_cast(__half2, old);
}
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
WARPBOOK_DEVICE __half atomicAdd(__half* address, __half value) {
  unsigned short old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
               : "=h"(old)
               : "l"(address), "h"(__half_as_ushort(value))
               : "memory");
  return __ushort_as_half(old);
}
#endif

#include <warpbook/letters_back.h>
