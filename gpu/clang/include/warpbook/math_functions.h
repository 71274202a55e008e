// Functions that are rounded: their errors are CUDA's documented ones or smaller (tests/clang/ulp_bounds.txt).
#pragma once
#pragma clang system_header

#define WARPBOOK_BY_CLC1(NAME, LENGTH) WARPBOOK_CLC1(NAME, LENGTH) WARPBOOK_MATH1(NAME) WARPBOOK_STD(NAME)
#define WARPBOOK_BY_CLC2(NAME, LENGTH) WARPBOOK_CLC2(NAME, LENGTH) WARPBOOK_MATH2(NAME) WARPBOOK_STD(NAME)
WARPBOOK_BY_CLC1(sin, 3)
WARPBOOK_BY_CLC1(cos, 3)
WARPBOOK_BY_CLC1(tan, 3)
WARPBOOK_BY_CLC1(asin, 4)
WARPBOOK_BY_CLC1(acos, 4)
WARPBOOK_BY_CLC1(atan, 4)
WARPBOOK_BY_CLC1(sinh, 4)
WARPBOOK_BY_CLC1(cosh, 4)
WARPBOOK_BY_CLC1(tanh, 4)
WARPBOOK_BY_CLC1(asinh, 5)
WARPBOOK_BY_CLC1(acosh, 5)
WARPBOOK_BY_CLC1(atanh, 5)
WARPBOOK_BY_CLC1(exp, 3)
WARPBOOK_BY_CLC1(exp2, 4)
WARPBOOK_BY_CLC1(expm1, 5)
WARPBOOK_BY_CLC1(log, 3)
WARPBOOK_BY_CLC1(log2, 4)
WARPBOOK_BY_CLC1(log10, 5)
WARPBOOK_BY_CLC1(log1p, 5)
WARPBOOK_BY_CLC1(logb, 4)
WARPBOOK_BY_CLC1(cbrt, 4)
WARPBOOK_BY_CLC1(erf, 3)
WARPBOOK_BY_CLC1(erfc, 4)
WARPBOOK_BY_CLC1(tgamma, 6)
WARPBOOK_BY_CLC1(lgamma, 6)
WARPBOOK_BY_CLC2(atan2, 5)
WARPBOOK_BY_CLC2(pow, 3)
WARPBOOK_BY_CLC2(fmod, 4)
WARPBOOK_BY_CLC2(remainder, 9)
WARPBOOK_BY_CLC2(hypot, 5)
WARPBOOK_BY_CLC2(nextafter, 9)
#undef WARPBOOK_BY_CLC1
#undef WARPBOOK_BY_CLC2

WARPBOOK_CLC1(exp10, 5)
WARPBOOK_MATH1(exp10)
WARPBOOK_CLC1(sinpi, 5)
WARPBOOK_MATH1(sinpi)
WARPBOOK_CLC1(cospi, 5)
WARPBOOK_MATH1(cospi)
WARPBOOK_CLC1(rsqrt, 5)
WARPBOOK_MATH1(rsqrt)

WARPBOOK_DEVICE void sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
WARPBOOK_DEVICE void sincos(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
WARPBOOK_DEVICE void sincos(double x, double* sine, double* cosine) { *sine = sin(x), *cosine = cos(x); }
