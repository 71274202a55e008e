// One operation with a stated rounding, and the fast approximations of the special function units.
#pragma once
#pragma clang system_header

// An assembler line keeps a sum and a product from being fused into one, which is what these functions are for.
#define WARPBOOK_ARITHMETIC2(NAME, INSTRUCTION, TYPE, LETTER)                                   \
  WARPBOOK_DEVICE TYPE NAME(TYPE x, TYPE y) {                                                   \
    TYPE result;                                                                                \
    asm(INSTRUCTION " %0, %1, %2;" : "=" LETTER(result) : LETTER(x), LETTER(y));                \
    return result;                                                                              \
  }
#define WARPBOOK_ARITHMETIC1(NAME, INSTRUCTION, TYPE, LETTER)                                   \
  WARPBOOK_DEVICE TYPE NAME(TYPE x) {                                                           \
    TYPE result;                                                                                \
    asm(INSTRUCTION " %0, %1;" : "=" LETTER(result) : LETTER(x));                               \
    return result;                                                                              \
  }
#define WARPBOOK_ARITHMETIC3(NAME, INSTRUCTION, TYPE, LETTER)                                   \
  WARPBOOK_DEVICE TYPE NAME(TYPE x, TYPE y, TYPE z) {                                           \
    TYPE result;                                                                                \
    asm(INSTRUCTION " %0, %1, %2, %3;" : "=" LETTER(result) : LETTER(x), LETTER(y), LETTER(z)); \
    return result;                                                                              \
  }
#define WARPBOOK_ROUNDED(SUFFIX, ROUNDING)                                         \
  WARPBOOK_ARITHMETIC2(__fadd_##SUFFIX, "add." ROUNDING ".f32", float, "f")        \
  WARPBOOK_ARITHMETIC2(__fsub_##SUFFIX, "sub." ROUNDING ".f32", float, "f")        \
  WARPBOOK_ARITHMETIC2(__fmul_##SUFFIX, "mul." ROUNDING ".f32", float, "f")        \
  WARPBOOK_ARITHMETIC2(__fdiv_##SUFFIX, "div." ROUNDING ".f32", float, "f")        \
  WARPBOOK_ARITHMETIC3(__fmaf_##SUFFIX, "fma." ROUNDING ".f32", float, "f")        \
  WARPBOOK_ARITHMETIC1(__frcp_##SUFFIX, "rcp." ROUNDING ".f32", float, "f")        \
  WARPBOOK_ARITHMETIC1(__fsqrt_##SUFFIX, "sqrt." ROUNDING ".f32", float, "f")      \
  WARPBOOK_ARITHMETIC2(__dadd_##SUFFIX, "add." ROUNDING ".f64", double, "d")       \
  WARPBOOK_ARITHMETIC2(__dsub_##SUFFIX, "sub." ROUNDING ".f64", double, "d")       \
  WARPBOOK_ARITHMETIC2(__dmul_##SUFFIX, "mul." ROUNDING ".f64", double, "d")       \
  WARPBOOK_ARITHMETIC2(__ddiv_##SUFFIX, "div." ROUNDING ".f64", double, "d")       \
  WARPBOOK_ARITHMETIC3(__fma_##SUFFIX, "fma." ROUNDING ".f64", double, "d")        \
  WARPBOOK_ARITHMETIC1(__drcp_##SUFFIX, "rcp." ROUNDING ".f64", double, "d")       \
  WARPBOOK_ARITHMETIC1(__dsqrt_##SUFFIX, "sqrt." ROUNDING ".f64", double, "d")
WARPBOOK_ROUNDED(rn, "rn")
WARPBOOK_ROUNDED(rz, "rz")
WARPBOOK_ROUNDED(ru, "rp")
WARPBOOK_ROUNDED(rd, "rm")
#undef WARPBOOK_ROUNDED

WARPBOOK_ARITHMETIC1(warpbook_ex2_approx, "ex2.approx.f32", float, "f")
WARPBOOK_ARITHMETIC1(warpbook_lg2_approx, "lg2.approx.f32", float, "f")
WARPBOOK_ARITHMETIC1(__sinf, "sin.approx.f32", float, "f")
WARPBOOK_ARITHMETIC1(__cosf, "cos.approx.f32", float, "f")
WARPBOOK_ARITHMETIC1(__frsqrt_rn, "rsqrt.approx.f32", float, "f")
WARPBOOK_ARITHMETIC2(__fdividef, "div.approx.f32", float, "f")
#undef WARPBOOK_ARITHMETIC1
#undef WARPBOOK_ARITHMETIC2
#undef WARPBOOK_ARITHMETIC3

WARPBOOK_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
WARPBOOK_DEVICE void __sincosf(float x, float* sine, float* cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}
WARPBOOK_DEVICE float __exp2f(float x) { return warpbook_ex2_approx(x); }
WARPBOOK_DEVICE float __expf(float x) { return warpbook_ex2_approx(x * 1.4426950408889634f); }
WARPBOOK_DEVICE float __exp10f(float x) { return warpbook_ex2_approx(x * 3.3219280948873623f); }
WARPBOOK_DEVICE float __log2f(float x) { return warpbook_lg2_approx(x); }
WARPBOOK_DEVICE float __logf(float x) { return warpbook_lg2_approx(x) * 0.69314718055994531f; }
WARPBOOK_DEVICE float __log10f(float x) { return warpbook_lg2_approx(x) * 0.30102999566398120f; }
WARPBOOK_DEVICE float __powf(float x, float y) { return warpbook_ex2_approx(y * warpbook_lg2_approx(x)); }
/// x within 0 and 1; NaN becomes 0.
WARPBOOK_DEVICE float __saturatef(float x) {
  float result;
  asm("cvt.sat.f32.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
