// The mathematical functions of CUDA C++, float and double, in device code. <cmath> and <math.h> keep the host's.
//
// They are declared before any header of the C++ library, which then leaves these names to us in device code.
#pragma once
#pragma clang system_header

// The C library's declarations and constants (M_PI, INFINITY) for host code, without the C++ library's, which take long to read.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#undef fpclassify
#undef isfinite
#undef isinf
#undef isnan
#undef isnormal
#undef signbit
#undef isgreater
#undef isgreaterequal
#undef isless
#undef islessequal
#undef islessgreater
#undef isunordered

#include <warpbook/casts.h>

// Their mangled names are their own: a program may link mathematics of another library beside them.
inline namespace warpbook_math {

// An integer argument counts as double, as in the C++ library.
template <bool Integer>
struct warpbook_double_if {};
template <>
struct warpbook_double_if<true> {
  typedef double type;
};
template <class T>
using warpbook_integer = typename warpbook_double_if<__is_integral(T)>::type;
// At least one of the two is an integer, or they differ: the C++ library computes in double.
template <class T, class U>
using warpbook_mixed = typename warpbook_double_if<__is_arithmetic(T) && __is_arithmetic(U) && !__is_same(T, U)>::type;

// NAMEf(float), NAME(float), NAME(double), NAME(integer) and the same in std::, all by warpbook_NAME.
#define WARPBOOK_MATH1(NAME)                                                                        \
  WARPBOOK_DEVICE float NAME##f(float x) { return warpbook_##NAME(x); }                             \
  WARPBOOK_DEVICE float NAME(float x) { return warpbook_##NAME(x); }                                \
  WARPBOOK_DEVICE double NAME(double x) { return warpbook_##NAME(x); }                              \
  template <class T>                                                                                \
  WARPBOOK_DEVICE warpbook_integer<T> NAME(T x) {                                                   \
    return warpbook_##NAME((double)x);                                                              \
  }
#define WARPBOOK_MATH2(NAME)                                                                        \
  WARPBOOK_DEVICE float NAME##f(float x, float y) { return warpbook_##NAME(x, y); }                 \
  WARPBOOK_DEVICE float NAME(float x, float y) { return warpbook_##NAME(x, y); }                    \
  WARPBOOK_DEVICE double NAME(double x, double y) { return warpbook_##NAME(x, y); }                 \
  template <class T, class U>                                                                       \
  WARPBOOK_DEVICE warpbook_mixed<T, U> NAME(T x, U y) {                                             \
    return warpbook_##NAME((double)x, (double)y);                                                   \
  }                                                                                                 \
  template <class T>                                                                                \
  WARPBOOK_DEVICE warpbook_integer<T> NAME(T x, T y) {                                              \
    return warpbook_##NAME((double)x, (double)y);                                                   \
  }
// std:: is outside of the namespace that these functions are in.
#define WARPBOOK_STD(NAME)  \
  }                         \
  namespace std {           \
  using ::NAME;             \
  using ::NAME##f;          \
  }                         \
  inline namespace warpbook_math {

#include <warpbook/math_exact.h>
#include <warpbook/math_functions.h>

#include <warpbook/math_bessel.h>

}  // namespace warpbook_math
