// Functions whose results are exact or correctly rounded: signs, roundings to integers, parts of a number, square roots.
#pragma once
#pragma clang system_header

#define WARPBOOK_EXACT1(NAME)                                                                \
  WARPBOOK_DEVICE float warpbook_##NAME(float x) { return __builtin_##NAME##f(x); }          \
  WARPBOOK_DEVICE double warpbook_##NAME(double x) { return __builtin_##NAME(x); }           \
  WARPBOOK_MATH1(NAME)                                                                       \
  WARPBOOK_STD(NAME)
#define WARPBOOK_EXACT2(NAME)                                                                          \
  WARPBOOK_DEVICE float warpbook_##NAME(float x, float y) { return __builtin_##NAME##f(x, y); }        \
  WARPBOOK_DEVICE double warpbook_##NAME(double x, double y) { return __builtin_##NAME(x, y); }        \
  WARPBOOK_MATH2(NAME)                                                                                 \
  WARPBOOK_STD(NAME)
WARPBOOK_EXACT1(fabs)
WARPBOOK_EXACT1(floor)
WARPBOOK_EXACT1(ceil)
WARPBOOK_EXACT1(trunc)
WARPBOOK_EXACT1(rint)
WARPBOOK_EXACT1(nearbyint)
WARPBOOK_EXACT1(round)
WARPBOOK_EXACT2(fmin)
WARPBOOK_EXACT2(fmax)
WARPBOOK_EXACT2(copysign)
#undef WARPBOOK_EXACT1
#undef WARPBOOK_EXACT2

WARPBOOK_DEVICE float warpbook_sqrt(float x) { return __nvvm_sqrt_rn_f(x); }
WARPBOOK_DEVICE double warpbook_sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
WARPBOOK_MATH1(sqrt)
WARPBOOK_STD(sqrt)

WARPBOOK_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
WARPBOOK_DEVICE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
WARPBOOK_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
WARPBOOK_STD(fma)

WARPBOOK_DEVICE float fdividef(float x, float y) { return x / y; }
WARPBOOK_DEVICE double fdivide(double x, double y) { return x / y; }

WARPBOOK_DEVICE float warpbook_fdim(float x, float y) { return x <= y ? 0.0f : x - y; }
WARPBOOK_DEVICE double warpbook_fdim(double x, double y) { return x <= y ? 0.0 : x - y; }
WARPBOOK_MATH2(fdim)
WARPBOOK_STD(fdim)

// Questions, which take any arithmetic type.
#define WARPBOOK_QUESTION(NAME)                                                        \
  WARPBOOK_DEVICE bool NAME(float x) { return __builtin_##NAME(x); }                   \
  WARPBOOK_DEVICE bool NAME(double x) { return __builtin_##NAME(x); }                  \
  template <class T>                                                                   \
  WARPBOOK_DEVICE decltype(warpbook_integer<T>(), true) NAME(T x) {                    \
    return __builtin_##NAME((double)x);                                                \
  }                                                                                    \
  }                                                                                    \
  namespace std {                                                                      \
  using ::NAME;                                                                        \
  }                                                                                    \
  inline namespace warpbook_math {
WARPBOOK_QUESTION(isfinite)
WARPBOOK_QUESTION(isinf)
WARPBOOK_QUESTION(isnan)
WARPBOOK_QUESTION(isnormal)
WARPBOOK_QUESTION(signbit)
#undef WARPBOOK_QUESTION
WARPBOOK_DEVICE int __isnanf(float x) { return __builtin_isnan(x); }
WARPBOOK_DEVICE int __isinff(float x) { return __builtin_isinf(x); }
WARPBOOK_DEVICE int __finitef(float x) { return __builtin_isfinite(x); }

// To integers: the nearest (even), and halves away from zero.
#define WARPBOOK_ROUND(NAME, TYPE, EXPRESSION)                                           \
  WARPBOOK_DEVICE TYPE NAME##f(float x) { return EXPRESSION(float, x); }                 \
  WARPBOOK_DEVICE TYPE NAME(float x) { return EXPRESSION(float, x); }                    \
  WARPBOOK_DEVICE TYPE NAME(double x) { return EXPRESSION(double, x); }                  \
  WARPBOOK_STD(NAME)
#define WARPBOOK_RINT(KIND, x) __##KIND##2ll_rn(x)
#define WARPBOOK_LROUND(KIND, x) (long long)warpbook_round(x)
WARPBOOK_ROUND(lrint, long, WARPBOOK_RINT)
WARPBOOK_ROUND(llrint, long long, WARPBOOK_RINT)
WARPBOOK_ROUND(lround, long, WARPBOOK_LROUND)
WARPBOOK_ROUND(llround, long long, WARPBOOK_LROUND)
#undef WARPBOOK_ROUND
#undef WARPBOOK_RINT
#undef WARPBOOK_LROUND

WARPBOOK_DEVICE float abs(float x) { return __builtin_fabsf(x); }
WARPBOOK_DEVICE double abs(double x) { return __builtin_fabs(x); }
WARPBOOK_DEVICE int abs(int x) { return x < 0 ? -x : x; }
WARPBOOK_DEVICE long abs(long x) { return x < 0 ? -x : x; }
WARPBOOK_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
WARPBOOK_DEVICE long labs(long x) { return x < 0 ? -x : x; }
WARPBOOK_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
}
namespace std {
using ::abs;
using ::labs;
using ::llabs;
}
inline namespace warpbook_math {

// min and max, of host code as well.
#define WARPBOOK_MINMAX(TYPE, LEFT, RIGHT)                                                                       \
  WARPBOOK_BOTH TYPE min(LEFT a, RIGHT b) { return (TYPE)a < (TYPE)b ? (TYPE)a : (TYPE)b; }                      \
  WARPBOOK_BOTH TYPE max(LEFT a, RIGHT b) { return (TYPE)a > (TYPE)b ? (TYPE)a : (TYPE)b; }
WARPBOOK_MINMAX(int, int, int)
WARPBOOK_MINMAX(unsigned int, unsigned int, unsigned int)
WARPBOOK_MINMAX(unsigned int, int, unsigned int)
WARPBOOK_MINMAX(unsigned int, unsigned int, int)
WARPBOOK_MINMAX(long, long, long)
WARPBOOK_MINMAX(unsigned long, unsigned long, unsigned long)
WARPBOOK_MINMAX(unsigned long, long, unsigned long)
WARPBOOK_MINMAX(unsigned long, unsigned long, long)
WARPBOOK_MINMAX(long long, long long, long long)
WARPBOOK_MINMAX(unsigned long long, unsigned long long, unsigned long long)
WARPBOOK_MINMAX(unsigned long long, long long, unsigned long long)
WARPBOOK_MINMAX(unsigned long long, unsigned long long, long long)
#undef WARPBOOK_MINMAX
// A number wins over a NaN, as in fmin and fmax.
#define WARPBOOK_MINMAX(TYPE, LEFT, RIGHT)                                                    \
  WARPBOOK_BOTH TYPE min(LEFT a, RIGHT b) { return __builtin_fmin((TYPE)a, (TYPE)b); }        \
  WARPBOOK_BOTH TYPE max(LEFT a, RIGHT b) { return __builtin_fmax((TYPE)a, (TYPE)b); }
WARPBOOK_MINMAX(double, double, double)
WARPBOOK_MINMAX(double, float, double)
WARPBOOK_MINMAX(double, double, float)
#undef WARPBOOK_MINMAX
WARPBOOK_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
WARPBOOK_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
WARPBOOK_DEVICE int umin(unsigned int a, unsigned int b) { return min(a, b); }
WARPBOOK_DEVICE int umax(unsigned int a, unsigned int b) { return max(a, b); }
