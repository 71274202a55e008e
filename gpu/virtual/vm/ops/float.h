// f32 and f64 arithmetic (PTX ISA section 9.7.3), correctly rounded. Approximations are in approximate.h.
//
//     d = ops::fma(a, b, c);                              // rn, no .ftz, no .sat: the hot form, vectorises
//     d = ops::fma(a, b, c, {.rounding = Rounding::rz});  // any mode
//     d = ops::saturate(ops::flush(ops::add(ops::flush(a), ops::flush(b))));   // add.ftz.sat, vectorises too
//
// NaN results are canonical (base.h). Compile without contraction (-ffp-contract=off): PTX's mul and add stay two.
#pragma once

#include "gpu/virtual/vm/ops/exact.h"

WARPBOOK_OPS_BEGIN

struct FloatMode {
  Rounding rounding = Rounding::rn;
  bool ftz = false, sat = false;
};

/// .sat: into [+0, 1]; NaN and −0 → +0.
template <Native T>
WARPBOOK_OP T saturate(T a) {
  const T low = a > T{0} ? a : T{0};
  return low < T{1} ? low : T{1};
}

// ---- the hot forms: round to nearest even ---------------------------------------------------------------------------

template <Native T>
WARPBOOK_OP T add(T a, T b) {
  return canonical(a + b);
}
template <Native T>
WARPBOOK_OP T sub(T a, T b) {
  return canonical(a - b);
}
template <Native T>
WARPBOOK_OP T mul(T a, T b) {
  return canonical(a * b);
}
template <Native T>
WARPBOOK_OP T div(T a, T b) {
  return canonical(a / b);
}
template <Native T>
WARPBOOK_OP T rcp(T a) {
  return canonical(T{1} / a);
}
WARPBOOK_OP float sqrt(float a) { return canonical(__builtin_sqrtf(a)); }
WARPBOOK_OP double sqrt(double a) { return canonical(__builtin_sqrt(a)); }

/// `sum` with its lowest bit set when `error` says that digits were lost beyond it: round to odd (Boldo and Melquiond,
/// "Emulation of FMA and correctly rounded sums", 2008). A later rounding to at most half the digits is then correct.
template <Native T>
WARPBOOK_OP T round_to_odd(T sum, T error) {
  using Bits = typename Format<T>::Bits;
  const Bits bits = bits_of(sum);
  const bool grows = (error > 0) == (sum > 0);
  const Bits moved = (bits & 1) ? bits : grows ? bits + 1 : bits - 1;
  return from_bits<T>((error > 0) | (error < 0) ? moved : bits);  // error is NaN where sum is infinite
}
/// a + b in twice the precision (Knuth's TwoSum), rounded to odd.
template <Native T>
WARPBOOK_OP T sum_to_odd(T a, T b) {
  const T sum = a + b, part = sum - a;
  return round_to_odd(sum, (a - (sum - part)) + (b - part));
}

/// NaNs as the host makes them.
WARPBOOK_OP float fma_raw(float a, float b, float c) {
#if defined(__FMA__)
  return __builtin_fmaf(a, b, c);
#else
  // The product of two floats is exact in a double, and vectorises where fmaf would be a call.
  return static_cast<float>(sum_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
#endif
}
WARPBOOK_OP double fma_raw(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <Native T>
WARPBOOK_OP T fma(T a, T b, T c) {
  return canonical(fma_raw(a, b, c));
}

// ---- directed rounding ----------------------------------------------------------------------------------------------

// Whatever is not finite, or divides by zero, gives the same in every direction; the rest is exact, then rounded once.
template <Native T>
inline T add_rounded(T a, T b, Rounding rounding) {
  const T nearest = a + b;
  if (is_nan(nearest) || is_infinite(a) || is_infinite(b)) return canonical(nearest);
  return round_exact<T>(exact_sum(exact(a), exact(b), rounding), rounding);
}
template <Native T>
inline T mul_rounded(T a, T b, Rounding rounding) {
  const T nearest = a * b;
  if (is_nan(nearest) || is_infinite(a) || is_infinite(b)) return canonical(nearest);
  return round_exact<T>(exact_product(exact(a), exact(b)), rounding);
}
template <Native T>
inline T fma_rounded(T a, T b, T c, Rounding rounding) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) return canonical_nan<T>();
  if (is_infinite(a) || is_infinite(b)) return canonical(a * b + c);
  if (is_infinite(c)) return c;
  return round_exact<T>(exact_sum(exact_product(exact(a), exact(b)), exact(c), rounding), rounding);
}
template <Native T>
inline T div_rounded(T a, T b, Rounding rounding) {
  const T nearest = a / b;
  if (is_nan(nearest) || is_infinite(a) || is_infinite(b) || b == 0) return canonical(nearest);
  return round_exact<T>(exact_quotient(exact(a), exact(b)), rounding);
}
template <Native T>
inline T sqrt_rounded(T a, Rounding rounding) {
  if (!(a > 0) || is_infinite(a)) return a == 0 || a > 0 ? a : canonical_nan<T>();
  return round_exact<T>(exact_sqrt(exact(a)), rounding);
}

// ---- any mode -------------------------------------------------------------------------------------------------------

WARPBOOK_OP bool is_nearest(Rounding rounding) { return rounding == Rounding::rn || rounding == Rounding::none; }
template <AnyFloat T>
WARPBOOK_OP T operand(T a, FloatMode mode) {
  return mode.ftz ? flush(a) : a;
}
template <AnyFloat T>
WARPBOOK_OP T result(T d, FloatMode mode) {
  d = mode.ftz ? flush(d) : d;
  return mode.sat ? saturate(d) : d;
}

template <Native T>
WARPBOOK_OP T add(T a, T b, FloatMode mode) {
  a = operand(a, mode);
  b = operand(b, mode);
  return result(is_nearest(mode.rounding) ? add(a, b) : add_rounded(a, b, mode.rounding), mode);
}
template <Native T>
WARPBOOK_OP T sub(T a, T b, FloatMode mode) {
  a = operand(a, mode);
  b = operand(b, mode);
  return result(is_nearest(mode.rounding) ? sub(a, b) : add_rounded(a, -b, mode.rounding), mode);
}
template <Native T>
WARPBOOK_OP T mul(T a, T b, FloatMode mode) {
  a = operand(a, mode);
  b = operand(b, mode);
  return result(is_nearest(mode.rounding) ? mul(a, b) : mul_rounded(a, b, mode.rounding), mode);
}
template <Native T>
WARPBOOK_OP T fma(T a, T b, T c, FloatMode mode) {
  a = operand(a, mode);
  b = operand(b, mode);
  c = operand(c, mode);
  return result(is_nearest(mode.rounding) ? fma(a, b, c) : fma_rounded(a, b, c, mode.rounding), mode);
}
template <Native T>
WARPBOOK_OP T div(T a, T b, FloatMode mode) {
  a = operand(a, mode);
  b = operand(b, mode);
  return result(is_nearest(mode.rounding) ? div(a, b) : div_rounded(a, b, mode.rounding), mode);
}
template <Native T>
WARPBOOK_OP T rcp(T a, FloatMode mode) {
  return div(T{1}, a, mode);
}
template <Native T>
WARPBOOK_OP T sqrt(T a, FloatMode mode) {
  a = operand(a, mode);
  return result(is_nearest(mode.rounding) ? sqrt(a) : sqrt_rounded(a, mode.rounding), mode);
}

// ---- sign and order -------------------------------------------------------------------------------------------------

// abs, neg and copysign only touch the sign bit, a NaN's too (PTX leaves the f32 NaN open).
template <AnyFloat T>
WARPBOOK_OP T abs(T a) {
  return from_bits<T>(magnitude_bits(a));
}
template <AnyFloat T>
WARPBOOK_OP T neg(T a) {
  return from_bits<T>(static_cast<typename Format<T>::Bits>(bits_of(a) ^ sign_mask<T>));
}
/// PTX's order of operands: the sign of a on the magnitude of b.
template <AnyFloat T>
WARPBOOK_OP T copysign(T a, T b) {
  return from_bits<T>(static_cast<typename Format<T>::Bits>((bits_of(a) & sign_mask<T>) | magnitude_bits(b)));
}

/// One NaN gives the other operand, two the canonical NaN; −0 < +0.
template <Native T>
WARPBOOK_OP T min(T a, T b) {
  T d = a < b ? a : b;
  d = a == b ? from_bits<T>(bits_of(a) | bits_of(b)) : d;  // equal bits but for the zeros, where −0 wins
  d = b == b ? d : a;
  return canonical(d);  // a is NaN: the comparison has chosen b
}
template <Native T>
WARPBOOK_OP T max(T a, T b) {
  T d = a > b ? a : b;
  d = a == b ? from_bits<T>(bits_of(a) & bits_of(b)) : d;
  d = b == b ? d : a;
  return canonical(d);
}
/// .NaN: one NaN is enough.
template <Native T>
WARPBOOK_OP T min_nan(T a, T b) {
  const T d = min(a, b);
  return (a == a) & (b == b) ? d : canonical_nan<T>();
}
template <Native T>
WARPBOOK_OP T max_nan(T a, T b) {
  const T d = max(a, b);
  return (a == a) & (b == b) ? d : canonical_nan<T>();
}

/// min/max{.ftz}{.NaN}{.xorsign.abs}, and .abs alone in the three-input forms.
struct OrderMode {
  bool ftz = false, nan = false, xorsign = false, abs = false;
};
template <bool Max, AnyFloat T>
WARPBOOK_OP T order(T a, T b, OrderMode mode) {
  using Bits = typename Format<T>::Bits;
  a = mode.ftz ? flush(a) : a;
  b = mode.ftz ? flush(b) : b;
  const Bits sign = static_cast<Bits>((bits_of(a) ^ bits_of(b)) & sign_mask<T>);
  if (mode.abs) {
    a = abs(a);
    b = abs(b);
  }
  const T chosen = Max ? max(a, b) : min(a, b);
  T d = mode.nan && (is_nan(a) || is_nan(b)) ? canonical_nan<T>() : chosen;
  if (mode.xorsign && !is_nan(d)) d = from_bits<T>(static_cast<Bits>(magnitude_bits(d) | sign));
  return d;
}
template <AnyFloat T>
WARPBOOK_OP T min(T a, T b, OrderMode mode) {
  return order<false>(a, b, mode);
}
template <AnyFloat T>
WARPBOOK_OP T max(T a, T b, OrderMode mode) {
  return order<true>(a, b, mode);
}
template <AnyFloat T>
WARPBOOK_OP T min(T a, T b, T c, OrderMode mode) {
  return min(min(a, b, mode), c, mode);
}
template <AnyFloat T>
WARPBOOK_OP T max(T a, T b, T c, OrderMode mode) {
  return max(max(a, b, mode), c, mode);
}

/// testp; zeros count as normal.
template <AnyFloat T>
WARPBOOK_OP bool testp(ptx::TestP test, T a) {
  const auto magnitude = magnitude_bits(a);
  const bool subnormal = magnitude != 0 && is_subnormal_or_zero(a);
  switch (test) {
    case ptx::TestP::none:
      break;
    case ptx::TestP::finite:
      return magnitude < infinity_bits<T>;
    case ptx::TestP::infinite:
      return magnitude == infinity_bits<T>;
    case ptx::TestP::number:
      return magnitude <= infinity_bits<T>;
    case ptx::TestP::notanumber:
      return magnitude > infinity_bits<T>;
    case ptx::TestP::normal:
      return magnitude < infinity_bits<T> && !subnormal;
    case ptx::TestP::subnormal:
      return subnormal;
  }
  return false;
}

WARPBOOK_OPS_END
