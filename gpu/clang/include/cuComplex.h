// Complex numbers as CUDA's C interface has them: cuComplex, cuDoubleComplex and what is computed with them.
#pragma once

#include <warpbook/letters_away.h>
#include <math.h>
#include <warpbook_cuda.h>

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;

#ifdef __CUDA__
#define WARPBOOK_COMPLEX __host__ __device__ static __inline__
#else
#define WARPBOOK_COMPLEX static inline
#endif
// |a + ib| without a square that overflows: the larger part is taken out.
#define WARPBOOK_COMPLEX_OF(T, COMPLEX, MAKE, SUFFIX, F)                                                                   \
  WARPBOOK_COMPLEX COMPLEX make_##MAKE(T real, T imaginary) {                                                              \
    COMPLEX made;                                                                                                          \
    made.x = real;                                                                                                         \
    made.y = imaginary;                                                                                                    \
    return made;                                                                                                           \
  }                                                                                                                        \
  WARPBOOK_COMPLEX T cuCreal##SUFFIX(COMPLEX a) { return a.x; }                                                            \
  WARPBOOK_COMPLEX T cuCimag##SUFFIX(COMPLEX a) { return a.y; }                                                            \
  WARPBOOK_COMPLEX COMPLEX cuConj##SUFFIX(COMPLEX a) { return make_##MAKE(a.x, -a.y); }                                    \
  WARPBOOK_COMPLEX COMPLEX cuCadd##SUFFIX(COMPLEX a, COMPLEX b) { return make_##MAKE(a.x + b.x, a.y + b.y); }              \
  WARPBOOK_COMPLEX COMPLEX cuCsub##SUFFIX(COMPLEX a, COMPLEX b) { return make_##MAKE(a.x - b.x, a.y - b.y); }              \
  WARPBOOK_COMPLEX COMPLEX cuCmul##SUFFIX(COMPLEX a, COMPLEX b) {                                                          \
    return make_##MAKE(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                                      \
  }                                                                                                                        \
  WARPBOOK_COMPLEX COMPLEX cuCdiv##SUFFIX(COMPLEX a, COMPLEX b) {                                                          \
    const T scale = 1 / (fabs##F(b.x) + fabs##F(b.y));                                                                     \
    const T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale, of = 1 / (bx * bx + by * by);          \
    return make_##MAKE((ax * bx + ay * by) * of, (ay * bx - ax * by) * of);                                                \
  }                                                                                                                        \
  WARPBOOK_COMPLEX T cuCabs##SUFFIX(COMPLEX a) {                                                                           \
    const T x = fabs##F(a.x), y = fabs##F(a.y), larger = x > y ? x : y, smaller = x > y ? y : x;                           \
    if (larger == 0 || isinf(larger) || isinf(smaller)) return larger + smaller;                                           \
    const T ratio = smaller / larger;                                                                                      \
    return larger * sqrt##F(1 + ratio * ratio);                                                                            \
  }                                                                                                                        \
  WARPBOOK_COMPLEX COMPLEX cuCfma##SUFFIX(COMPLEX a, COMPLEX b, COMPLEX c) { return cuCadd##SUFFIX(cuCmul##SUFFIX(a, b), c); }
WARPBOOK_COMPLEX_OF(float, cuFloatComplex, cuFloatComplex, f, f)
WARPBOOK_COMPLEX_OF(double, cuDoubleComplex, cuDoubleComplex, , )
#undef WARPBOOK_COMPLEX_OF
WARPBOOK_COMPLEX cuComplex make_cuComplex(float real, float imaginary) { return make_cuFloatComplex(real, imaginary); }
WARPBOOK_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return make_cuDoubleComplex(a.x, a.y); }
WARPBOOK_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_cuFloatComplex((float)a.x, (float)a.y);
}
#undef WARPBOOK_COMPLEX

#include <warpbook/letters_back.h>
