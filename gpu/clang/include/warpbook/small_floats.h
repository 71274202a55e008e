// What __half and __nv_bfloat16 have in common: the same functions under the same names.
//
// H: the type, H2: two of it in 32 bits. Each is defined before with conversions from and to float, and with
// warpbook_add, _sub, _mul, _div, _fma, _min and _max, rounded once.
#pragma once
#pragma clang system_header

#include <warpbook_cuda.h>

#define WARPBOOK_SMALL_PAIR(NAME, H, H2, FUNCTION)                                                             \
  WARPBOOK_DEVICE H2 NAME(H2 a, H2 b) { return H2(FUNCTION(a.x, b.x), FUNCTION(a.y, b.y)); }
#define WARPBOOK_SMALL_EACH(NAME, H, H2, FUNCTION)                                                             \
  WARPBOOK_DEVICE H2 NAME(H2 a) { return H2(FUNCTION(a.x), FUNCTION(a.y)); }

// One operation, its _rn and saturated forms, and those of pairs.
#define WARPBOOK_SMALL_OPERATION(NAME, H, H2, FUNCTION)                                                        \
  WARPBOOK_DEVICE H NAME(H a, H b) { return FUNCTION(a, b); }                                                  \
  WARPBOOK_DEVICE H NAME##_rn(H a, H b) { return FUNCTION(a, b); }                                             \
  WARPBOOK_DEVICE H NAME##_sat(H a, H b) { return H(__saturatef((float)FUNCTION(a, b))); }                     \
  WARPBOOK_SMALL_PAIR(NAME##2, H, H2, NAME)                                                                    \
  WARPBOOK_SMALL_PAIR(NAME##2_rn, H, H2, NAME##_rn)                                                            \
  WARPBOOK_SMALL_PAIR(NAME##2_sat, H, H2, NAME##_sat)

// A comparison, the same with "or one is NaN", and those of pairs: 1 and 0 as numbers, all bits and none, both at once.
#define WARPBOOK_SMALL_COMPARISON(NAME, H, H2, OPERATOR)                                                       \
  WARPBOOK_DEVICE bool __h##NAME(H a, H b) { return (float)a OPERATOR (float)b; }                              \
  WARPBOOK_DEVICE bool __h##NAME##u(H a, H b) {                                                                \
    return __builtin_isunordered((float)a, (float)b) || (float)a OPERATOR (float)b;                            \
  }                                                                                                            \
  WARPBOOK_DEVICE H2 __h##NAME##2(H2 a, H2 b) {                                                                \
    return H2(H(__h##NAME(a.x, b.x) ? 1.0f : 0.0f), H(__h##NAME(a.y, b.y) ? 1.0f : 0.0f));                     \
  }                                                                                                            \
  WARPBOOK_DEVICE H2 __h##NAME##u2(H2 a, H2 b) {                                                               \
    return H2(H(__h##NAME##u(a.x, b.x) ? 1.0f : 0.0f), H(__h##NAME##u(a.y, b.y) ? 1.0f : 0.0f));               \
  }                                                                                                            \
  WARPBOOK_DEVICE unsigned int __h##NAME##2_mask(H2 a, H2 b) {                                                 \
    return (__h##NAME(a.x, b.x) ? 0xffffu : 0) | (__h##NAME(a.y, b.y) ? 0xffff0000u : 0);                      \
  }                                                                                                            \
  WARPBOOK_DEVICE bool __hb##NAME##2(H2 a, H2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); }        \
  WARPBOOK_DEVICE bool __hb##NAME##u2(H2 a, H2 b) { return __h##NAME##u(a.x, b.x) && __h##NAME##u(a.y, b.y); }

// A function by way of float's, rounded once more.
#define WARPBOOK_SMALL_FUNCTION(NAME, H, H2, EXPRESSION)                                                       \
  WARPBOOK_DEVICE H h##NAME(H a) {                                                                             \
    const float x = (float)a;                                                                                  \
    return H(EXPRESSION);                                                                                      \
  }                                                                                                            \
  WARPBOOK_SMALL_EACH(h2##NAME, H, H2, h##NAME)

#define WARPBOOK_SMALL_SHUFFLE(NAME, LANE, H, H2)                                                              \
  WARPBOOK_DEVICE H NAME(unsigned int mask, H value, LANE lane, int width = 32) {                              \
    return __builtin_bit_cast(H, (unsigned short)NAME(mask, (unsigned int)__builtin_bit_cast(unsigned short, value), lane, width)); \
  }                                                                                                            \
  WARPBOOK_DEVICE H2 NAME(unsigned int mask, H2 value, LANE lane, int width = 32) {                            \
    return __builtin_bit_cast(H2, NAME(mask, __builtin_bit_cast(unsigned int, value), lane, width));           \
  }

#define WARPBOOK_SMALL_LOAD(NAME, H, H2)                                                                       \
  WARPBOOK_DEVICE H NAME(const H* address) { return __builtin_bit_cast(H, NAME((const unsigned short*)address)); } \
  WARPBOOK_DEVICE H2 NAME(const H2* address) { return __builtin_bit_cast(H2, NAME((const unsigned int*)address)); }
#define WARPBOOK_SMALL_STORE(NAME, H, H2)                                                                      \
  WARPBOOK_DEVICE void NAME(H* address, H value) {                                                             \
    NAME((unsigned short*)address, __builtin_bit_cast(unsigned short, value));                                 \
  }                                                                                                            \
  WARPBOOK_DEVICE void NAME(H2* address, H2 value) {                                                           \
    NAME((unsigned int*)address, __builtin_bit_cast(unsigned int, value));                                     \
  }

// a += b and its kin.
#define WARPBOOK_SMALL_OPERATOR(H, OPERATOR, FUNCTION)                                                         \
  WARPBOOK_DEVICE H operator OPERATOR(const H& a, const H& b) { return FUNCTION(a, b); }                       \
  WARPBOOK_DEVICE H& operator OPERATOR##=(H& a, const H& b) { return a = a OPERATOR b; }
#define WARPBOOK_SMALL_COMPARE(H, H2, OPERATOR, NAME)                                                          \
  WARPBOOK_DEVICE bool operator OPERATOR(const H& a, const H& b) { return __h##NAME(a, b); }                   \
  WARPBOOK_DEVICE bool operator OPERATOR(const H2& a, const H2& b) { return __hb##NAME##2(a, b); }

#define WARPBOOK_SMALL_FLOATS(H, H2)                                                                           \
  WARPBOOK_SMALL_OPERATION(__hadd, H, H2, warpbook_add)                                                        \
  WARPBOOK_SMALL_OPERATION(__hsub, H, H2, warpbook_sub)                                                        \
  WARPBOOK_SMALL_OPERATION(__hmul, H, H2, warpbook_mul)                                                        \
  WARPBOOK_DEVICE H __hdiv(H a, H b) { return warpbook_div(a, b); }                                            \
  WARPBOOK_DEVICE H2 __h2div(H2 a, H2 b) { return H2(warpbook_div(a.x, b.x), warpbook_div(a.y, b.y)); }        \
  WARPBOOK_DEVICE H __hfma(H a, H b, H c) { return warpbook_fma(a, b, c); }                                    \
  WARPBOOK_DEVICE H __hfma_sat(H a, H b, H c) { return H(__saturatef((float)warpbook_fma(a, b, c))); }         \
  WARPBOOK_DEVICE H __hfma_relu(H a, H b, H c) { return warpbook_max(warpbook_fma(a, b, c), H(0.0f)); }        \
  WARPBOOK_DEVICE H2 __hfma2(H2 a, H2 b, H2 c) {                                                               \
    return H2(warpbook_fma(a.x, b.x, c.x), warpbook_fma(a.y, b.y, c.y));                                       \
  }                                                                                                            \
  WARPBOOK_DEVICE H2 __hfma2_sat(H2 a, H2 b, H2 c) { return H2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); } \
  WARPBOOK_DEVICE H2 __hfma2_relu(H2 a, H2 b, H2 c) { return H2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); } \
  WARPBOOK_DEVICE H __hneg(H a) { return __builtin_bit_cast(H, (unsigned short)(__builtin_bit_cast(unsigned short, a) ^ 0x8000)); } \
  WARPBOOK_DEVICE H __habs(H a) { return __builtin_bit_cast(H, (unsigned short)(__builtin_bit_cast(unsigned short, a) & 0x7fff)); } \
  WARPBOOK_SMALL_EACH(__hneg2, H, H2, __hneg)                                                                  \
  WARPBOOK_SMALL_EACH(__habs2, H, H2, __habs)                                                                  \
  WARPBOOK_DEVICE H __hmin(H a, H b) { return warpbook_min(a, b); }                                            \
  WARPBOOK_DEVICE H __hmax(H a, H b) { return warpbook_max(a, b); }                                            \
  WARPBOOK_DEVICE bool __hisnan(H a) { return __builtin_isnan((float)a); }                                     \
  WARPBOOK_DEVICE int __hisinf(H a) {                                                                          \
    return !__builtin_isinf((float)a) ? 0 : (float)a > 0 ? 1 : -1;                                             \
  }                                                                                                            \
  WARPBOOK_DEVICE H __hmin_nan(H a, H b) { return __hisnan(a) ? a : __hisnan(b) ? b : warpbook_min(a, b); }    \
  WARPBOOK_DEVICE H __hmax_nan(H a, H b) { return __hisnan(a) ? a : __hisnan(b) ? b : warpbook_max(a, b); }    \
  WARPBOOK_SMALL_PAIR(__hmin2, H, H2, __hmin)                                                                  \
  WARPBOOK_SMALL_PAIR(__hmax2, H, H2, __hmax)                                                                  \
  WARPBOOK_SMALL_PAIR(__hmin2_nan, H, H2, __hmin_nan)                                                          \
  WARPBOOK_SMALL_PAIR(__hmax2_nan, H, H2, __hmax_nan)                                                          \
  WARPBOOK_DEVICE H2 __hisnan2(H2 a) { return H2(H(__hisnan(a.x) ? 1.0f : 0.0f), H(__hisnan(a.y) ? 1.0f : 0.0f)); } \
  WARPBOOK_SMALL_COMPARISON(eq, H, H2, ==)                                                                     \
  WARPBOOK_SMALL_COMPARISON(lt, H, H2, <)                                                                      \
  WARPBOOK_SMALL_COMPARISON(le, H, H2, <=)                                                                     \
  WARPBOOK_SMALL_COMPARISON(gt, H, H2, >)                                                                      \
  WARPBOOK_SMALL_COMPARISON(ge, H, H2, >=)                                                                     \
  WARPBOOK_DEVICE bool __hne(H a, H b) { return !__hequ(a, b); }                                               \
  WARPBOOK_DEVICE bool __hneu(H a, H b) { return !__heq(a, b); }                                               \
  WARPBOOK_DEVICE H2 __hne2(H2 a, H2 b) { return H2(H(__hne(a.x, b.x) ? 1.0f : 0.0f), H(__hne(a.y, b.y) ? 1.0f : 0.0f)); } \
  WARPBOOK_DEVICE bool __hbne2(H2 a, H2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }                      \
  WARPBOOK_DEVICE bool __hbneu2(H2 a, H2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }                   \
  WARPBOOK_SMALL_FUNCTION(sqrt, H, H2, sqrtf(x))                                                               \
  WARPBOOK_SMALL_FUNCTION(rsqrt, H, H2, rsqrtf(x))                                                             \
  WARPBOOK_SMALL_FUNCTION(rcp, H, H2, 1.0f / x)                                                                \
  WARPBOOK_SMALL_FUNCTION(exp, H, H2, expf(x))                                                                 \
  WARPBOOK_SMALL_FUNCTION(exp2, H, H2, exp2f(x))                                                               \
  WARPBOOK_SMALL_FUNCTION(exp10, H, H2, exp10f(x))                                                             \
  WARPBOOK_SMALL_FUNCTION(log, H, H2, logf(x))                                                                 \
  WARPBOOK_SMALL_FUNCTION(log2, H, H2, log2f(x))                                                               \
  WARPBOOK_SMALL_FUNCTION(log10, H, H2, log10f(x))                                                             \
  WARPBOOK_SMALL_FUNCTION(sin, H, H2, sinf(x))                                                                 \
  WARPBOOK_SMALL_FUNCTION(cos, H, H2, cosf(x))                                                                 \
  WARPBOOK_SMALL_FUNCTION(tanh, H, H2, tanhf(x))                                                               \
  WARPBOOK_SMALL_FUNCTION(ceil, H, H2, ceilf(x))                                                               \
  WARPBOOK_SMALL_FUNCTION(floor, H, H2, floorf(x))                                                             \
  WARPBOOK_SMALL_FUNCTION(trunc, H, H2, truncf(x))                                                             \
  WARPBOOK_SMALL_FUNCTION(rint, H, H2, rintf(x))                                                               \
  WARPBOOK_SMALL_SHUFFLE(__shfl_sync, int, H, H2)                                                              \
  WARPBOOK_SMALL_SHUFFLE(__shfl_up_sync, unsigned int, H, H2)                                                  \
  WARPBOOK_SMALL_SHUFFLE(__shfl_down_sync, unsigned int, H, H2)                                                \
  WARPBOOK_SMALL_SHUFFLE(__shfl_xor_sync, int, H, H2)                                                          \
  WARPBOOK_SMALL_LOAD(__ldg, H, H2)                                                                            \
  WARPBOOK_SMALL_LOAD(__ldcg, H, H2)                                                                           \
  WARPBOOK_SMALL_LOAD(__ldca, H, H2)                                                                           \
  WARPBOOK_SMALL_LOAD(__ldcs, H, H2)                                                                           \
  WARPBOOK_SMALL_LOAD(__ldlu, H, H2)                                                                           \
  WARPBOOK_SMALL_LOAD(__ldcv, H, H2)                                                                           \
  WARPBOOK_SMALL_STORE(__stwb, H, H2)                                                                          \
  WARPBOOK_SMALL_STORE(__stcg, H, H2)                                                                          \
  WARPBOOK_SMALL_STORE(__stcs, H, H2)                                                                          \
  WARPBOOK_SMALL_STORE(__stwt, H, H2)                                                                          \
  WARPBOOK_SMALL_OPERATOR(H, +, __hadd)                                                                        \
  WARPBOOK_SMALL_OPERATOR(H, -, __hsub)                                                                        \
  WARPBOOK_SMALL_OPERATOR(H, *, __hmul)                                                                        \
  WARPBOOK_SMALL_OPERATOR(H, /, __hdiv)                                                                        \
  WARPBOOK_SMALL_OPERATOR(H2, +, __hadd2)                                                                      \
  WARPBOOK_SMALL_OPERATOR(H2, -, __hsub2)                                                                      \
  WARPBOOK_SMALL_OPERATOR(H2, *, __hmul2)                                                                      \
  WARPBOOK_SMALL_OPERATOR(H2, /, __h2div)                                                                      \
  WARPBOOK_SMALL_COMPARE(H, H2, ==, eq)                                                                        \
  WARPBOOK_SMALL_COMPARE(H, H2, <, lt)                                                                         \
  WARPBOOK_SMALL_COMPARE(H, H2, <=, le)                                                                        \
  WARPBOOK_SMALL_COMPARE(H, H2, >, gt)                                                                         \
  WARPBOOK_SMALL_COMPARE(H, H2, >=, ge)                                                                        \
  WARPBOOK_DEVICE bool operator!=(const H& a, const H& b) { return __hneu(a, b); }                             \
  WARPBOOK_DEVICE bool operator!=(const H2& a, const H2& b) { return __hbneu2(a, b); }                         \
  WARPBOOK_DEVICE H operator-(const H& a) { return __hneg(a); }                                                \
  WARPBOOK_DEVICE H operator+(const H& a) { return a; }                                                        \
  WARPBOOK_DEVICE H2 operator-(const H2& a) { return __hneg2(a); }                                             \
  WARPBOOK_DEVICE H2 operator+(const H2& a) { return a; }                                                      \
  WARPBOOK_DEVICE H& operator++(H& a) { return a = a + H(1.0f); }                                              \
  WARPBOOK_DEVICE H& operator--(H& a) { return a = a - H(1.0f); }                                              \
  WARPBOOK_DEVICE H operator++(H& a, int) {                                                                    \
    const H before = a;                                                                                        \
    ++a;                                                                                                       \
    return before;                                                                                             \
  }                                                                                                            \
  WARPBOOK_DEVICE H operator--(H& a, int) {                                                                    \
    const H before = a;                                                                                        \
    --a;                                                                                                       \
    return before;                                                                                             \
  }

// Conversions and the handling of pairs, whose names hold the type's: NAME half, bfloat16; NAME2 half2, bfloat162.
#define WARPBOOK_SMALL_INTEGER(NAME, H, KIND, TYPE)                                                            \
  WARPBOOK_DEVICE TYPE __##NAME##2##KIND##_rn(H a) { return (TYPE)__float2##KIND##_rn((float)a); }             \
  WARPBOOK_DEVICE TYPE __##NAME##2##KIND##_rz(H a) { return (TYPE)__float2##KIND##_rz((float)a); }             \
  WARPBOOK_DEVICE TYPE __##NAME##2##KIND##_ru(H a) { return (TYPE)__float2##KIND##_ru((float)a); }             \
  WARPBOOK_DEVICE TYPE __##NAME##2##KIND##_rd(H a) { return (TYPE)__float2##KIND##_rd((float)a); }             \
  WARPBOOK_BOTH H __##KIND##2##NAME##_rn(TYPE a) { return H(a); }
#define WARPBOOK_SMALL_CONVERSIONS(NAME, H, H2)                                                                \
  WARPBOOK_BOTH H __float2##NAME(float a) { return H(a); }                                                     \
  WARPBOOK_BOTH H __float2##NAME##_rn(float a) { return H(a); }                                                \
  WARPBOOK_BOTH H __double2##NAME(double a) { return H(a); }                                                   \
  WARPBOOK_BOTH float __##NAME##2float(H a) { return (float)a; }                                               \
  WARPBOOK_BOTH short __##NAME##_as_short(H a) { return __builtin_bit_cast(short, a); }                        \
  WARPBOOK_BOTH unsigned short __##NAME##_as_ushort(H a) { return __builtin_bit_cast(unsigned short, a); }     \
  WARPBOOK_BOTH H __short_as_##NAME(short a) { return __builtin_bit_cast(H, a); }                              \
  WARPBOOK_BOTH H __ushort_as_##NAME(unsigned short a) { return __builtin_bit_cast(H, a); }                    \
  WARPBOOK_SMALL_INTEGER(NAME, H, int, int)                                                                    \
  WARPBOOK_SMALL_INTEGER(NAME, H, uint, unsigned int)                                                          \
  WARPBOOK_SMALL_INTEGER(NAME, H, ll, long long)                                                               \
  WARPBOOK_SMALL_INTEGER(NAME, H, ull, unsigned long long)                                                     \
  WARPBOOK_BOTH H __short2##NAME##_rn(short a) { return H((int)a); }                                           \
  WARPBOOK_BOTH H __ushort2##NAME##_rn(unsigned short a) { return H((unsigned int)a); }                        \
  WARPBOOK_DEVICE short __##NAME##2short_rz(H a) { return (short)max(-32768, min(32767, __float2int_rz((float)a))); } \
  WARPBOOK_DEVICE short __##NAME##2short_rn(H a) { return (short)max(-32768, min(32767, __float2int_rn((float)a))); } \
  WARPBOOK_BOTH H2 __##NAME##2##NAME##2(H a) { return H2(a, a); }                                              \
  WARPBOOK_BOTH H2 __halves2##NAME##2(H a, H b) { return H2(a, b); }                                           \
  WARPBOOK_BOTH H2 __float2##NAME##2_rn(float a) { return H2(H(a), H(a)); }                                    \
  WARPBOOK_BOTH H2 __floats2##NAME##2_rn(float a, float b) { return H2(H(a), H(b)); }                          \
  WARPBOOK_BOTH H2 __float22##NAME##2_rn(float2 a) { return H2(H(a.x), H(a.y)); }                              \
  WARPBOOK_BOTH float2 __##NAME##22float2(H2 a) { return {(float)a.x, (float)a.y}; }                           \
  WARPBOOK_BOTH H __low2##NAME(H2 a) { return a.x; }                                                           \
  WARPBOOK_BOTH H __high2##NAME(H2 a) { return a.y; }                                                          \
  WARPBOOK_BOTH H2 __low2##NAME##2(H2 a) { return H2(a.x, a.x); }                                              \
  WARPBOOK_BOTH H2 __high2##NAME##2(H2 a) { return H2(a.y, a.y); }                                             \
  WARPBOOK_BOTH float __low2float(H2 a) { return (float)a.x; }                                                 \
  WARPBOOK_BOTH float __high2float(H2 a) { return (float)a.y; }                                                \
  WARPBOOK_BOTH H2 __lows2##NAME##2(H2 a, H2 b) { return H2(a.x, b.x); }                                       \
  WARPBOOK_BOTH H2 __highs2##NAME##2(H2 a, H2 b) { return H2(a.y, b.y); }                                      \
  WARPBOOK_BOTH H2 __lowhigh2highlow(H2 a) { return H2(a.y, a.x); }                                            \
  WARPBOOK_BOTH H2 make_##NAME##2(H a, H b) { return H2(a, b); }
