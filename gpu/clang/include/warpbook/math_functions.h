// The names of what math_*.h compute. Their errors are CUDA's documented ones or smaller (tests/clang/ulp_bounds.txt).
#pragma once
#pragma clang system_header

#include <warpbook/math_remainders.h>
#include <warpbook/math_special.h>

// In CUDA and in the C++ library.
#define WARPBOOK_NAMED1(NAME)                                                                \
  WARPBOOK_DEVICE float warpbook_##NAME(float x) { return warpbook_parts::NAME##_of(x); }    \
  WARPBOOK_DEVICE double warpbook_##NAME(double x) { return warpbook_parts::NAME##_of(x); }  \
  WARPBOOK_MATH1(NAME)
#define WARPBOOK_NAMED2(NAME, EXPRESSION)                                                    \
  WARPBOOK_DEVICE float warpbook_##NAME(float x, float y) { return EXPRESSION; }             \
  WARPBOOK_DEVICE double warpbook_##NAME(double x, double y) { return EXPRESSION; }          \
  WARPBOOK_MATH2(NAME)
#define WARPBOOK_STD_NAMED1(NAME) WARPBOOK_NAMED1(NAME) WARPBOOK_STD(NAME)
#define WARPBOOK_STD_NAMED2(NAME, EXPRESSION) WARPBOOK_NAMED2(NAME, EXPRESSION) WARPBOOK_STD(NAME)

WARPBOOK_STD_NAMED1(exp)
WARPBOOK_STD_NAMED1(exp2)
WARPBOOK_STD_NAMED1(expm1)
WARPBOOK_STD_NAMED1(log)
WARPBOOK_STD_NAMED1(log2)
WARPBOOK_STD_NAMED1(log10)
WARPBOOK_STD_NAMED1(log1p)
WARPBOOK_STD_NAMED1(logb)
WARPBOOK_STD_NAMED1(cbrt)
WARPBOOK_STD_NAMED1(sin)
WARPBOOK_STD_NAMED1(cos)
WARPBOOK_STD_NAMED1(tan)
WARPBOOK_STD_NAMED1(asin)
WARPBOOK_STD_NAMED1(acos)
WARPBOOK_STD_NAMED1(atan)
WARPBOOK_STD_NAMED1(sinh)
WARPBOOK_STD_NAMED1(cosh)
WARPBOOK_STD_NAMED1(tanh)
WARPBOOK_STD_NAMED1(asinh)
WARPBOOK_STD_NAMED1(acosh)
WARPBOOK_STD_NAMED1(atanh)
WARPBOOK_STD_NAMED1(erf)
WARPBOOK_STD_NAMED1(erfc)
WARPBOOK_STD_NAMED1(lgamma)
WARPBOOK_STD_NAMED2(atan2, warpbook_parts::atan2_of(x, y))
WARPBOOK_STD_NAMED2(pow, warpbook_parts::pow_of(x, y))
WARPBOOK_STD_NAMED2(fmod, warpbook_parts::fmod_of(x, y))
WARPBOOK_STD_NAMED2(remainder, warpbook_parts::remainder_of(x, y))
WARPBOOK_STD_NAMED2(hypot, warpbook_parts::length(x, y))
WARPBOOK_STD_NAMED2(nextafter, warpbook_parts::nextafter_of(x, y))
WARPBOOK_DEVICE float warpbook_tgamma(float x) { return warpbook_parts::gamma_of(x); }
WARPBOOK_DEVICE double warpbook_tgamma(double x) { return warpbook_parts::gamma_of(x); }
WARPBOOK_MATH1(tgamma)
WARPBOOK_STD(tgamma)

// CUDA's own.
WARPBOOK_NAMED1(exp10)
WARPBOOK_NAMED1(sinpi)
WARPBOOK_NAMED1(cospi)
WARPBOOK_NAMED1(rsqrt)
WARPBOOK_NAMED1(rcbrt)
WARPBOOK_NAMED1(erfcx)
WARPBOOK_NAMED1(erfinv)
WARPBOOK_NAMED1(erfcinv)
WARPBOOK_NAMED1(normcdf)
WARPBOOK_NAMED1(normcdfinv)
WARPBOOK_NAMED2(rhypot, warpbook_parts::reciprocal_length(x, y))

// Those with other parameters, for both types: NAMEf(float), NAME(float), NAME(double).
#define WARPBOOK_BOTH_TYPES(RESULT, NAME, PARAMETERS, ARGUMENTS, BODY)                                  \
  template <class T>                                                                                    \
  WARPBOOK_DEVICE RESULT(T) warpbook_##NAME PARAMETERS(T) { BODY; }                                     \
  WARPBOOK_DEVICE RESULT(float) NAME##f PARAMETERS(float) { return warpbook_##NAME ARGUMENTS; }         \
  WARPBOOK_DEVICE RESULT(float) NAME PARAMETERS(float) { return warpbook_##NAME ARGUMENTS; }            \
  WARPBOOK_DEVICE RESULT(double) NAME PARAMETERS(double) { return warpbook_##NAME ARGUMENTS; }
#define WARPBOOK_SAME(T) T
#define WARPBOOK_INT(T) int
#define WARPBOOK_NOTHING(T) void
#define WARPBOOK_X(T) (T x)
#define WARPBOOK_XI(T) (T x, int n)
#define WARPBOOK_XL(T) (T x, long n)
#define WARPBOOK_XPI(T) (T x, int* p)
#define WARPBOOK_XP(T) (T x, T* p)
#define WARPBOOK_XYPI(T) (T x, T y, int* p)
#define WARPBOOK_XPP(T) (T x, T* p, T* q)
#define WARPBOOK_XYZ(T) (T x, T y, T z)
#define WARPBOOK_XYZW(T) (T x, T y, T z, T w)
WARPBOOK_BOTH_TYPES(WARPBOOK_INT, ilogb, WARPBOOK_X, (x), return warpbook_parts::ilogb_of(x))
WARPBOOK_STD(ilogb)
WARPBOOK_BOTH_TYPES(WARPBOOK_SAME, ldexp, WARPBOOK_XI, (x, n), return warpbook_parts::ldexp_of(x, n))
WARPBOOK_STD(ldexp)
WARPBOOK_BOTH_TYPES(WARPBOOK_SAME, scalbn, WARPBOOK_XI, (x, n), return warpbook_parts::ldexp_of(x, n))
WARPBOOK_STD(scalbn)
WARPBOOK_BOTH_TYPES(WARPBOOK_SAME, scalbln, WARPBOOK_XL, (x, n),
                    return warpbook_parts::ldexp_of(x, n > 9999 ? 9999 : n < -9999 ? -9999 : (int)n))
WARPBOOK_STD(scalbln)
WARPBOOK_BOTH_TYPES(WARPBOOK_SAME, frexp, WARPBOOK_XPI, (x, p), return warpbook_parts::frexp_of(x, p))
WARPBOOK_STD(frexp)
WARPBOOK_BOTH_TYPES(WARPBOOK_SAME, modf, WARPBOOK_XP, (x, p), return warpbook_parts::modf_of(x, p))
WARPBOOK_STD(modf)
WARPBOOK_BOTH_TYPES(WARPBOOK_SAME, remquo, WARPBOOK_XYPI, (x, y, p), return warpbook_parts::remquo_of(x, y, p))
WARPBOOK_STD(remquo)
WARPBOOK_BOTH_TYPES(WARPBOOK_NOTHING, sincos, WARPBOOK_XPP, (x, p, q), warpbook_parts::sincos_of(x, p, q))
WARPBOOK_BOTH_TYPES(WARPBOOK_NOTHING, sincospi, WARPBOOK_XPP, (x, p, q),
                    (*p = warpbook_parts::sinpi_of(x), *q = warpbook_parts::cospi_of(x)))
WARPBOOK_BOTH_TYPES(WARPBOOK_SAME, norm3d, WARPBOOK_XYZ, (x, y, z), return warpbook_parts::length(x, y, z))
WARPBOOK_BOTH_TYPES(WARPBOOK_SAME, norm4d, WARPBOOK_XYZW, (x, y, z, w), return warpbook_parts::length(x, y, z, w))
WARPBOOK_BOTH_TYPES(WARPBOOK_SAME, rnorm3d, WARPBOOK_XYZ, (x, y, z), return warpbook_parts::reciprocal_length(x, y, z))
WARPBOOK_BOTH_TYPES(WARPBOOK_SAME, rnorm4d, WARPBOOK_XYZW, (x, y, z, w), return warpbook_parts::reciprocal_length(x, y, z, w))
#undef WARPBOOK_BOTH_TYPES
#undef WARPBOOK_SAME
#undef WARPBOOK_INT
#undef WARPBOOK_NOTHING
#undef WARPBOOK_X
#undef WARPBOOK_XI
#undef WARPBOOK_XL
#undef WARPBOOK_XPI
#undef WARPBOOK_XP
#undef WARPBOOK_XYPI
#undef WARPBOOK_XPP
#undef WARPBOOK_XYZ
#undef WARPBOOK_XYZW
#undef WARPBOOK_NAMED1
#undef WARPBOOK_NAMED2
#undef WARPBOOK_STD_NAMED1
#undef WARPBOOK_STD_NAMED2

namespace warpbook_parts {
/// The length of a vector of n numbers.
template <class T>
WARPBOOK_DEVICE T length_of_many(int n, const T* p) {
  T all = 0;
  for (int i = 0; i < n; ++i) all = length(all, p[i]);
  return all;
}
}  // namespace warpbook_parts
WARPBOOK_DEVICE float normf(int n, const float* p) { return warpbook_parts::length_of_many(n, p); }
WARPBOOK_DEVICE double norm(int n, const double* p) { return warpbook_parts::length_of_many(n, p); }
WARPBOOK_DEVICE float rnormf(int n, const float* p) { return 1 / warpbook_parts::length_of_many(n, p); }
WARPBOOK_DEVICE double rnorm(int n, const double* p) { return 1 / warpbook_parts::length_of_many(n, p); }
WARPBOOK_DEVICE float nanf(const char*) { return __builtin_nanf(""); }
WARPBOOK_DEVICE double nan(const char*) { return __builtin_nan(""); }
WARPBOOK_STD(nan)
