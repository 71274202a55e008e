// Bits seen as another type, and conversions with a stated rounding: _rn to nearest even, _rz to zero, _ru up, _rd down.
#pragma once
#pragma clang system_header

WARPBOOK_BOTH int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
WARPBOOK_BOTH unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
WARPBOOK_BOTH float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
WARPBOOK_BOTH float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
WARPBOOK_BOTH long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
WARPBOOK_BOTH double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
WARPBOOK_DEVICE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
WARPBOOK_DEVICE int __double2loint(double x) { return (int)__double_as_longlong(x); }
WARPBOOK_DEVICE double __hiloint2double(int high, int low) {
  return __longlong_as_double(((long long)high << 32) | (unsigned int)low);
}

// One instruction each: cvt.ROUNDING.TO.FROM, the letters say the registers.
#define WARPBOOK_CONVERT(NAME, ROUNDING, TO, TO_PTX, TO_LETTER, FROM, FROM_PTX, FROM_LETTER)                  \
  WARPBOOK_DEVICE TO NAME(FROM x) {                                                                           \
    TO result;                                                                                                \
    asm("cvt." ROUNDING "." TO_PTX "." FROM_PTX " %0, %1;" : "=" TO_LETTER(result) : FROM_LETTER(x));         \
    return result;                                                                                            \
  }
// From a floating-point number to an integer, and back.
#define WARPBOOK_TO_INTEGER(NAME, TO, TO_PTX, TO_LETTER, FROM, FROM_PTX, FROM_LETTER)               \
  WARPBOOK_CONVERT(NAME##_rn, "rni", TO, TO_PTX, TO_LETTER, FROM, FROM_PTX, FROM_LETTER)            \
  WARPBOOK_CONVERT(NAME##_rz, "rzi", TO, TO_PTX, TO_LETTER, FROM, FROM_PTX, FROM_LETTER)            \
  WARPBOOK_CONVERT(NAME##_ru, "rpi", TO, TO_PTX, TO_LETTER, FROM, FROM_PTX, FROM_LETTER)            \
  WARPBOOK_CONVERT(NAME##_rd, "rmi", TO, TO_PTX, TO_LETTER, FROM, FROM_PTX, FROM_LETTER)
#define WARPBOOK_TO_FLOAT(NAME, TO, TO_PTX, TO_LETTER, FROM, FROM_PTX, FROM_LETTER)                 \
  WARPBOOK_CONVERT(NAME##_rn, "rn", TO, TO_PTX, TO_LETTER, FROM, FROM_PTX, FROM_LETTER)             \
  WARPBOOK_CONVERT(NAME##_rz, "rz", TO, TO_PTX, TO_LETTER, FROM, FROM_PTX, FROM_LETTER)             \
  WARPBOOK_CONVERT(NAME##_ru, "rp", TO, TO_PTX, TO_LETTER, FROM, FROM_PTX, FROM_LETTER)             \
  WARPBOOK_CONVERT(NAME##_rd, "rm", TO, TO_PTX, TO_LETTER, FROM, FROM_PTX, FROM_LETTER)

WARPBOOK_TO_INTEGER(__float2int, int, "s32", "r", float, "f32", "f")
WARPBOOK_TO_INTEGER(__float2uint, unsigned int, "u32", "r", float, "f32", "f")
WARPBOOK_TO_INTEGER(__float2ll, long long, "s64", "l", float, "f32", "f")
WARPBOOK_TO_INTEGER(__float2ull, unsigned long long, "u64", "l", float, "f32", "f")
WARPBOOK_TO_INTEGER(__double2int, int, "s32", "r", double, "f64", "d")
WARPBOOK_TO_INTEGER(__double2uint, unsigned int, "u32", "r", double, "f64", "d")
WARPBOOK_TO_INTEGER(__double2ll, long long, "s64", "l", double, "f64", "d")
WARPBOOK_TO_INTEGER(__double2ull, unsigned long long, "u64", "l", double, "f64", "d")
WARPBOOK_TO_FLOAT(__int2float, float, "f32", "f", int, "s32", "r")
WARPBOOK_TO_FLOAT(__uint2float, float, "f32", "f", unsigned int, "u32", "r")
WARPBOOK_TO_FLOAT(__ll2float, float, "f32", "f", long long, "s64", "l")
WARPBOOK_TO_FLOAT(__ull2float, float, "f32", "f", unsigned long long, "u64", "l")
WARPBOOK_TO_FLOAT(__ll2double, double, "f64", "d", long long, "s64", "l")
WARPBOOK_TO_FLOAT(__ull2double, double, "f64", "d", unsigned long long, "u64", "l")
WARPBOOK_TO_FLOAT(__double2float, float, "f32", "f", double, "f64", "d")
WARPBOOK_CONVERT(__int2double_rn, "rn", double, "f64", "d", int, "s32", "r")
WARPBOOK_CONVERT(__uint2double_rn, "rn", double, "f64", "d", unsigned int, "u32", "r")
#undef WARPBOOK_TO_INTEGER
#undef WARPBOOK_TO_FLOAT
#undef WARPBOOK_CONVERT
