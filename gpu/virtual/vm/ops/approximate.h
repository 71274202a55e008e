// PTX's approximations (.approx, .full): rcp sqrt rsqrt sin cos lg2 ex2 tanh div.
//
//     d = ops::sin_approx(a);          // sin.approx.f32; for .ftz: flush(ops::sin_approx(flush(a)))
//     d = ops::ex2_approx(a, {.ftz = true});
//
// Hardware looks values up in tables that are not public; these stay inside the error that the PTX ISA states for each, are
// mostly closer, and agree with its tables of special inputs. Those of one float are polynomials in double, so that loops
// over lanes vectorise and every host instruction set gives the same bits. PTX ISA sections 9.7.3.7, .13 to .22.
#pragma once

#include "gpu/virtual/vm/ops/float.h"

WARPBOOK_OPS_BEGIN

// ---- f32 ------------------------------------------------------------------------------------------------------------

WARPBOOK_OP float rcp_approx(float a) { return rcp(a); }
WARPBOOK_OP float sqrt_approx(float a) { return sqrt(a); }
WARPBOOK_OP float rsqrt_approx(float a) {
  const float d = static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a)));
  return canonical(d);
}
/// a · (1/b): where 1/b is subnormal (|b| > 2^126) hardware flushes it, so the quotient is 0, or NaN for an infinite a.
WARPBOOK_OP float div_approx(float a, float b) {
  const float zero = from_bits<float>((bits_of(a) ^ bits_of(b)) & sign_mask<float>);
  const float quotient = div(a, b), flushed = canonical(a * zero);  // ∞ · 0 is the NaN
  const bool huge = magnitude_bits(b) > 0x7e800000u && magnitude_bits(b) <= infinity_bits<float>;
  return huge ? (flushed == flushed ? zero : flushed) : quotient;
}
/// div.full: at most 2 ulp over the full range; here exact.
WARPBOOK_OP float div_full(float a, float b) { return div(a, b); }

/// The fraction of a turn, in [−1/2, 1/2]. As in hardware, the angle becomes turns in f32 before it is reduced, so that the
/// absolute error grows with it.
WARPBOOK_OP double fraction_of_turn(float a) {
  const float turns = a * 0.15915494309189535f;
  return static_cast<double>(turns - __builtin_rintf(turns));
}
/// sin of 2π·t for |t| ≤ 1/4: the Taylor series to x^15, error below 1e−11.
WARPBOOK_OP double sin_of_turn(double t) {
  const double x = t * 6.283185307179586, y = x * x;
  return x * (1 + y * (-1.0 / 6 +
                       y * (1.0 / 120 +
                            y * (-1.0 / 5040 + y * (1.0 / 362880 + y * (-1.0 / 39916800 + y * (1.0 / 6227020800.0 +
                                                                                               y * (-1.0 / 1307674368000.0))))))));
}
/// |t| ≤ 1/2 → the angle with the same sine in [−1/4, 1/4].
WARPBOOK_OP double folded(double t) {
  const double other = t > 0 ? 0.5 - t : -0.5 - t;
  return t > 0.25 || t < -0.25 ? other : t;
}
WARPBOOK_OP float sin_approx(float a) {
  const double t = fraction_of_turn(a);
  const float d = static_cast<float>(sin_of_turn(folded(t)));
  return canonical(a == 0 ? a : d);  // −0 stays; ∞ − ∞ was NaN
}
WARPBOOK_OP float cos_approx(float a) {
  const double t = fraction_of_turn(a), distance = t < 0 ? -t : t;
  return canonical(static_cast<float>(sin_of_turn(0.25 - distance)));  // cos 2πt = sin 2π(1/4 − |t|)
}

/// log2: exponent plus 2/ln 2 · artanh((m − 1)/(m + 1)) of the significand m in [√½, √2), error below 1e−10.
WARPBOOK_OP float lg2_approx(float a) {
  const bool subnormal = magnitude_bits(a) < 0x00800000u;
  const float scaled = subnormal ? a * 16777216.0f : a;
  const u32 bits = bits_of(scaled), shifted = bits - 0x3f3504f3u;  // √½'s bits: what lies below them belongs to the next octave
  const s32 exponent = static_cast<s32>(shifted) >> 23;
  const double m = static_cast<double>(from_bits<float>((shifted & 0x007fffffu) + 0x3f3504f3u));
  const double s = (m - 1) / (m + 1), y = s * s;
  const double series = s * (1 + y * (1.0 / 3 + y * (1.0 / 5 + y * (1.0 / 7 + y * (1.0 / 9 + y * (1.0 / 11 + y * (1.0 / 13)))))));
  const double whole = static_cast<double>(exponent - (subnormal ? 24 : 0));
  float d = static_cast<float>(whole + series * 2.8853900817779268);
  d = a > 0 ? d : a == 0 ? -__builtin_inff() : canonical_nan<float>();
  return magnitude_bits(a) == infinity_bits<float> && a > 0 ? a : d;
}

/// 2^x for |x| ≤ 1000: 2^n · e^(f·ln 2) with |f| ≤ 1/2, Taylor to f^9, error below 1e−11.
WARPBOOK_OP double exp2_double(double x) {
  const double n = __builtin_rint(x), z = (x - n) * 0.6931471805599453;
  const double power =
      1 + z * (1 + z * (1.0 / 2 +
                        z * (1.0 / 6 +
                             z * (1.0 / 24 +
                                  z * (1.0 / 120 + z * (1.0 / 720 + z * (1.0 / 5040 + z * (1.0 / 40320 + z * (1.0 / 362880)))))))));
  return power * from_bits<double>(static_cast<u64>(1023 + static_cast<s64>(static_cast<s32>(n))) << 52);
}
WARPBOOK_OP float ex2_approx(float a) {
  float x = a < 300.0f ? a : 300.0f;  // beyond, the float is infinity or zero anyway; NaN compares false
  x = x > -300.0f ? x : -300.0f;
  const float d = static_cast<float>(exp2_double(static_cast<double>(x)));
  return a == a ? d : canonical_nan<float>();
}
/// 1 − 2/(e^2|x| + 1); near zero, where that cancels, the series.
WARPBOOK_OP float tanh_approx(float a) {
  const double magnitude = static_cast<double>(from_bits<float>(magnitude_bits(a)));
  const double x = magnitude < 20 ? magnitude : 20.0, y = x * x;
  const double power = exp2_double(x * 2.8853900817779268);
  const double far = 1 - 2 / (power + 1);
  const double near = x * (1 + y * (-1.0 / 3 + y * (2.0 / 15 + y * (-17.0 / 315 + y * (62.0 / 2835)))));
  const float d = static_cast<float>(x < 0.25 ? near : far);
  return a == a ? copysign(a, d) : canonical_nan<float>();
}

// With .ftz as a mode; the other fields do not apply to approximations.
WARPBOOK_OP float rcp_approx(float a, FloatMode mode) { return result(rcp_approx(operand(a, mode)), mode); }
WARPBOOK_OP float sqrt_approx(float a, FloatMode mode) { return result(sqrt_approx(operand(a, mode)), mode); }
WARPBOOK_OP float rsqrt_approx(float a, FloatMode mode) { return result(rsqrt_approx(operand(a, mode)), mode); }
WARPBOOK_OP float sin_approx(float a, FloatMode mode) { return result(sin_approx(operand(a, mode)), mode); }
WARPBOOK_OP float cos_approx(float a, FloatMode mode) { return result(cos_approx(operand(a, mode)), mode); }
WARPBOOK_OP float lg2_approx(float a, FloatMode mode) { return result(lg2_approx(operand(a, mode)), mode); }
WARPBOOK_OP float ex2_approx(float a, FloatMode mode) { return result(ex2_approx(operand(a, mode)), mode); }
WARPBOOK_OP float tanh_approx(float a, FloatMode mode) { return result(tanh_approx(operand(a, mode)), mode); }
WARPBOOK_OP float div_approx(float a, float b, FloatMode mode) {
  return result(div_approx(operand(a, mode), operand(b, mode)), mode);
}
WARPBOOK_OP float div_full(float a, float b, FloatMode mode) { return result(div_full(operand(a, mode), operand(b, mode)), mode); }

// ---- f64 ------------------------------------------------------------------------------------------------------------

/// The upper 32 bits alone, rounded to nearest: what both .approx.ftz.f64 instructions return. Their NaN has its own bits.
WARPBOOK_OP double upper_word(double a) {
  const u64 rounded = (bits_of(flush(a)) + 0x80000000ull) & 0xffffffff00000000ull;
  return from_bits<double>(a == a ? rounded : 0x7fffffff00000000ull);
}
/// rcp.approx.ftz.f64: of the operand too only the upper word counts.
WARPBOOK_OP double rcp_approx(double a) { return upper_word(1 / flush(from_bits<double>(bits_of(a) & 0xffffffff00000000ull))); }
/// rsqrt.approx.ftz.f64
WARPBOOK_OP double rsqrt_approx_ftz(double a) {
  return upper_word(1 / __builtin_sqrt(flush(from_bits<double>(bits_of(a) & 0xffffffff00000000ull))));
}
/// rsqrt.approx.f64, which hardware too computes by iteration.
WARPBOOK_OP double rsqrt_approx(double a) { return canonical(1 / __builtin_sqrt(a)); }

WARPBOOK_OPS_END
