// Four bytes or two half words of a word at once: __vadd4, __vmaxu2 and their kin.
#pragma once
#pragma clang system_header

#include <warpbook/attributes.h>

namespace warpbook_simd {

/// `operation` of each part of `Bits` bits, seen as T.
template <class T, int Bits, class Operation>
WARPBOOK_DEVICE unsigned int each(unsigned int a, unsigned int b, Operation operation) {
  unsigned int all = 0;
  _Pragma("unroll") for (int at = 0; at < 32; at += Bits) {
    const unsigned int part = (unsigned int)operation((int)(T)(a >> at), (int)(T)(b >> at));
    all |= (part & (unsigned int)((1ull << Bits) - 1)) << at;
  }
  return all;
}
WARPBOOK_DEVICE int within(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

}  // namespace warpbook_simd

#define WARPBOOK_SIMD_SIZE(NAME, NUMBER, T, BITS, EXPRESSION)                                                   \
  WARPBOOK_DEVICE unsigned int NAME##NUMBER(unsigned int first, unsigned int second) {                          \
    return warpbook_simd::each<T, BITS>(first, second, [](int a, int b) WARPBOOK_LAMBDA { return EXPRESSION; });                \
  }
#define WARPBOOK_SIMD_SIGNED(NAME, EXPRESSION2, EXPRESSION4)         \
  WARPBOOK_SIMD_SIZE(NAME, 2, short, 16, EXPRESSION2)                \
  WARPBOOK_SIMD_SIZE(NAME, 4, signed char, 8, EXPRESSION4)
#define WARPBOOK_SIMD_UNSIGNED(NAME, EXPRESSION2, EXPRESSION4)       \
  WARPBOOK_SIMD_SIZE(NAME, 2, unsigned short, 16, EXPRESSION2)       \
  WARPBOOK_SIMD_SIZE(NAME, 4, unsigned char, 8, EXPRESSION4)
#define WARPBOOK_SIMD_COMPARISON(NAME, OPERATOR)                                         \
  WARPBOOK_SIMD_SIGNED(__vcmp##NAME##s, a OPERATOR b ? -1 : 0, a OPERATOR b ? -1 : 0)    \
  WARPBOOK_SIMD_UNSIGNED(__vcmp##NAME##u, a OPERATOR b ? -1 : 0, a OPERATOR b ? -1 : 0)  \
  WARPBOOK_SIMD_SIGNED(__vset##NAME##s, a OPERATOR b, a OPERATOR b)                      \
  WARPBOOK_SIMD_UNSIGNED(__vset##NAME##u, a OPERATOR b, a OPERATOR b)

WARPBOOK_SIMD_UNSIGNED(__vadd, a + b, a + b)
WARPBOOK_SIMD_UNSIGNED(__vsub, a - b, a - b)
WARPBOOK_SIMD_SIGNED(__vaddss, warpbook_simd::within(a + b, -32768, 32767), warpbook_simd::within(a + b, -128, 127))
WARPBOOK_SIMD_UNSIGNED(__vaddus, warpbook_simd::within(a + b, 0, 65535), warpbook_simd::within(a + b, 0, 255))
WARPBOOK_SIMD_SIGNED(__vsubss, warpbook_simd::within(a - b, -32768, 32767), warpbook_simd::within(a - b, -128, 127))
WARPBOOK_SIMD_UNSIGNED(__vsubus, warpbook_simd::within(a - b, 0, 65535), warpbook_simd::within(a - b, 0, 255))
WARPBOOK_SIMD_SIGNED(__vabsdiffs, a < b ? b - a : a - b, a < b ? b - a : a - b)
WARPBOOK_SIMD_UNSIGNED(__vabsdiffu, a < b ? b - a : a - b, a < b ? b - a : a - b)
WARPBOOK_SIMD_SIGNED(__vavgs, (a + b + 1) >> 1, (a + b + 1) >> 1)
WARPBOOK_SIMD_UNSIGNED(__vavgu, (a + b + 1) >> 1, (a + b + 1) >> 1)
WARPBOOK_SIMD_UNSIGNED(__vhaddu, (a + b) >> 1, (a + b) >> 1)
WARPBOOK_SIMD_SIGNED(__vmaxs, a < b ? b : a, a < b ? b : a)
WARPBOOK_SIMD_UNSIGNED(__vmaxu, a < b ? b : a, a < b ? b : a)
WARPBOOK_SIMD_SIGNED(__vmins, b < a ? b : a, b < a ? b : a)
WARPBOOK_SIMD_UNSIGNED(__vminu, b < a ? b : a, b < a ? b : a)
WARPBOOK_SIMD_COMPARISON(ge, >=)
WARPBOOK_SIMD_COMPARISON(gt, >)
WARPBOOK_SIMD_COMPARISON(le, <=)
WARPBOOK_SIMD_COMPARISON(lt, <)
WARPBOOK_SIMD_UNSIGNED(__vcmpeq, a == b ? -1 : 0, a == b ? -1 : 0)
WARPBOOK_SIMD_UNSIGNED(__vcmpne, a != b ? -1 : 0, a != b ? -1 : 0)
WARPBOOK_SIMD_UNSIGNED(__vseteq, a == b, a == b)
WARPBOOK_SIMD_UNSIGNED(__vsetne, a != b, a != b)
#undef WARPBOOK_SIMD_SIZE
#undef WARPBOOK_SIMD_SIGNED
#undef WARPBOOK_SIMD_UNSIGNED
#undef WARPBOOK_SIMD_COMPARISON

#define WARPBOOK_SIMD_ONE(NAME, EXPRESSION2, EXPRESSION4)                            \
  WARPBOOK_DEVICE unsigned int NAME##2(unsigned int x) { return EXPRESSION2; }       \
  WARPBOOK_DEVICE unsigned int NAME##4(unsigned int x) { return EXPRESSION4; }
WARPBOOK_SIMD_ONE(__vneg, __vsub2(0, x), __vsub4(0, x))
WARPBOOK_SIMD_ONE(__vnegss, __vsubss2(0, x), __vsubss4(0, x))
WARPBOOK_SIMD_ONE(__vabs, __vabsdiffs2(x, 0), __vabsdiffs4(x, 0))
WARPBOOK_SIMD_ONE(__vabsss, __vmaxs2(x, __vsubss2(0, x)), __vmaxs4(x, __vsubss4(0, x)))
#undef WARPBOOK_SIMD_ONE

/// The sum of the differences' sizes.
WARPBOOK_DEVICE unsigned int __vsadu4(unsigned int a, unsigned int b) {
  const unsigned int d = __vabsdiffu4(a, b);
  return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24);
}
WARPBOOK_DEVICE unsigned int __vsadu2(unsigned int a, unsigned int b) {
  const unsigned int d = __vabsdiffu2(a, b);
  return (d & 0xffff) + (d >> 16);
}
WARPBOOK_DEVICE unsigned int __vsads4(unsigned int a, unsigned int b) {
  const unsigned int d = __vabsdiffs4(a, b);
  return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24);
}
