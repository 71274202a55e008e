// f16 and bf16 arithmetic, single and packed (PTX ISA section 9.7.4). Every result is rounded once.
//
//     f16 d = ops::fma(a, b, c);
//     f16x2 d = ops::add(a, b);                        // both elements
//     f16 d = ops::add(a, b, {.ftz = true, .sat = true});
//
// Conversions are integer and float operations that vectorise and give the same bits with and without F16C.
// Why computing in f32 is right: sums, differences and products of two p-digit numbers survive rounding to 2p + 2 digits
// and again to p (Figueroa 1995); 24 ≥ 2·11 + 2. Where f32 itself would underflow (products of bf16) double is used.
#pragma once

#include "gpu/virtual/vm/ops/approximate.h"

WARPBOOK_OPS_BEGIN

// ---- to and from f32 ------------------------------------------------------------------------------------------------

WARPBOOK_OP float to_float(f16 a) {
  const u32 magnitude = static_cast<u32>(a.bits & 0x7fffu) << 13, sign = static_cast<u32>(a.bits & 0x8000u) << 16;
  // As a float this is too small by 2^112, for subnormals too, and multiplying by a power of two is exact.
  const float scaled = from_bits<float>(magnitude) * 0x1p112f;
  const u32 bits = magnitude < 0x0f800000u ? bits_of(scaled) : magnitude == 0x0f800000u ? 0x7f800000u : 0x7fffffffu;
  return from_bits<float>(bits | (magnitude > 0x0f800000u ? 0u : sign));
}
/// A payload is kept: bf16 is the upper half of an f32.
WARPBOOK_OP float to_float(bf16 a) { return from_bits<float>(static_cast<u32>(a.bits) << 16); }

template <Half T>
WARPBOOK_OP T from_float(float a);  // rn; NaN → canonical
template <>
WARPBOOK_OP f16 from_float<f16>(float a) {
  const u32 magnitude = magnitude_bits(a), sign = bits_of(a) >> 16 & 0x8000u;
  // Normal results: drop 13 bits, to even. Below 2^−14: let the addition of 1/2 round, whose last place is 2^−24.
  const u32 normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13;
  const u32 subnormal = bits_of(from_bits<float>(magnitude) + 0.5f) - 0x3f000000u;
  u32 d = magnitude < 0x38800000u ? subnormal : normal;
  d = magnitude >= 0x47800000u ? 0x7c00u : d;  // 65536 and more; 65520 … rounds up to infinity by itself
  return {static_cast<u16>(magnitude > 0x7f800000u ? 0x7fffu : d | sign)};
}
template <>
WARPBOOK_OP bf16 from_float<bf16>(float a) {
  const u32 bits = bits_of(a), rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return {static_cast<u16>(is_nan(a) ? 0x7fffu : rounded)};
}

/// Rounded in the double's own bits; what is left is exact in f32.
template <Half T>
WARPBOOK_OP T from_double(double a) {
  constexpr int dropped = 53 - Format<T>::precision, min_exponent = 1 - Format<T>::max_exponent;
  constexpr u64 last = 1ull << dropped, smallest_normal = static_cast<u64>(1023 + min_exponent) << 52;
  // A double of this size has the smallest subnormal as its last place: adding it rounds there.
  constexpr double magic =
      __builtin_bit_cast(double, static_cast<u64>(1023 + min_exponent - (Format<T>::precision - 1) + 52) << 52);
  const u64 magnitude = magnitude_bits(a);
  const u64 normal = (magnitude + (last / 2 - 1) + (magnitude >> dropped & 1)) & (0 - last);
  const u64 subnormal = bits_of((from_bits<double>(magnitude) + magic) - magic);
  const u64 rounded = (magnitude < smallest_normal ? subnormal : normal) | (bits_of(a) & sign_mask<double>);
  return from_float<T>(static_cast<float>(a == a ? from_bits<double>(rounded) : a));
}

// ---- arithmetic, rn -------------------------------------------------------------------------------------------------

template <Half T>
WARPBOOK_OP T add(T a, T b) {
  return from_float<T>(to_float(a) + to_float(b));
}
template <Half T>
WARPBOOK_OP T sub(T a, T b) {
  return from_float<T>(to_float(a) - to_float(b));
}
WARPBOOK_OP f16 mul(f16 a, f16 b) { return from_float<f16>(to_float(a) * to_float(b)); }
WARPBOOK_OP bf16 mul(bf16 a, bf16 b) {
  return from_double<bf16>(static_cast<double>(to_float(a)) * static_cast<double>(to_float(b)));
}
// The sum is rounded to odd first, see sum_to_odd.
WARPBOOK_OP f16 fma(f16 a, f16 b, f16 c) { return from_float<f16>(sum_to_odd(to_float(a) * to_float(b), to_float(c))); }
WARPBOOK_OP bf16 fma(bf16 a, bf16 b, bf16 c) {
  const double product = static_cast<double>(to_float(a)) * static_cast<double>(to_float(b));
  return from_double<bf16>(sum_to_odd(product, static_cast<double>(to_float(c))));
}
template <Half T>
WARPBOOK_OP T min(T a, T b) {
  return from_float<T>(min(to_float(a), to_float(b)));
}
template <Half T>
WARPBOOK_OP T max(T a, T b) {
  return from_float<T>(max(to_float(a), to_float(b)));
}
template <Half T>
WARPBOOK_OP T saturate(T a) {
  return from_float<T>(saturate(to_float(a)));
}
/// .relu: negative → +0, NaN → canonical. −0 counts as zero and becomes +0.
template <AnyFloat T>
WARPBOOK_OP T relu(T a) {
  return is_nan(a) ? canonical_nan<T>() : sign_of(a) ? from_bits<T>(0) : a;
}
/// Nearest, with .ftz and .sat; a half has no directed roundings in arithmetic.
template <Half T>
WARPBOOK_OP T add(T a, T b, FloatMode mode) {
  return result(add(operand(a, mode), operand(b, mode)), mode);
}
template <Half T>
WARPBOOK_OP T sub(T a, T b, FloatMode mode) {
  return result(sub(operand(a, mode), operand(b, mode)), mode);
}
template <Half T>
WARPBOOK_OP T mul(T a, T b, FloatMode mode) {
  return result(mul(operand(a, mode), operand(b, mode)), mode);
}
template <Half T>
WARPBOOK_OP T fma(T a, T b, T c, FloatMode mode) {
  return result(fma(operand(a, mode), operand(b, mode), operand(c, mode)), mode);
}

template <Half T>
WARPBOOK_OP T ex2_approx(T a) {
  return from_float<T>(ex2_approx(to_float(a)));
}
template <Half T>
WARPBOOK_OP T tanh_approx(T a) {
  return from_float<T>(tanh_approx(to_float(a)));
}
template <Half T>
WARPBOOK_OP T ex2_approx(T a, FloatMode mode) {
  return result(ex2_approx(operand(a, mode)), mode);
}

// ---- packed ---------------------------------------------------------------------------------------------------------

template <class P>
struct Packed;
template <>
struct Packed<f16x2> {
  using Element = f16;
};
template <>
struct Packed<bf16x2> {
  using Element = bf16;
};
template <class P>
concept HalfPair = requires {
  typename Packed<P>::Element;
};

template <HalfPair P>
WARPBOOK_OP typename Packed<P>::Element low(P a) {
  return {static_cast<u16>(a.bits)};
}
template <HalfPair P>
WARPBOOK_OP typename Packed<P>::Element high(P a) {
  return {static_cast<u16>(a.bits >> 16)};
}
template <HalfPair P>
WARPBOOK_OP P pack(typename Packed<P>::Element low_half, typename Packed<P>::Element high_half) {
  return {low_half.bits | static_cast<u32>(high_half.bits) << 16};
}

// The same instruction on both elements; with a mode where the single form has one.
#define WARPBOOK_PACKED_1(name)                  \
  template <HalfPair P>                          \
  WARPBOOK_OP P name(P a) {                      \
    return pack<P>(name(low(a)), name(high(a))); \
  }
#define WARPBOOK_PACKED_1_MODE(name)                         \
  template <HalfPair P>                                      \
  WARPBOOK_OP P name(P a, FloatMode mode) {                  \
    return pack<P>(name(low(a), mode), name(high(a), mode)); \
  }
#define WARPBOOK_PACKED_2(name)                                   \
  template <HalfPair P>                                           \
  WARPBOOK_OP P name(P a, P b) {                                  \
    return pack<P>(name(low(a), low(b)), name(high(a), high(b))); \
  }
#define WARPBOOK_PACKED_2_MODE(name, Mode)                                    \
  template <HalfPair P>                                                       \
  WARPBOOK_OP P name(P a, P b, Mode mode) {                                   \
    return pack<P>(name(low(a), low(b), mode), name(high(a), high(b), mode)); \
  }
WARPBOOK_PACKED_1(abs)
WARPBOOK_PACKED_1(neg)
WARPBOOK_PACKED_1(flush)
WARPBOOK_PACKED_1(saturate)
WARPBOOK_PACKED_1(relu)
WARPBOOK_PACKED_1(ex2_approx)
WARPBOOK_PACKED_1(tanh_approx)
WARPBOOK_PACKED_1_MODE(ex2_approx)
WARPBOOK_PACKED_2(add)
WARPBOOK_PACKED_2(sub)
WARPBOOK_PACKED_2(mul)
WARPBOOK_PACKED_2(min)
WARPBOOK_PACKED_2(max)
WARPBOOK_PACKED_2_MODE(add, FloatMode)
WARPBOOK_PACKED_2_MODE(sub, FloatMode)
WARPBOOK_PACKED_2_MODE(mul, FloatMode)
WARPBOOK_PACKED_2_MODE(min, OrderMode)
WARPBOOK_PACKED_2_MODE(max, OrderMode)
#undef WARPBOOK_PACKED_1
#undef WARPBOOK_PACKED_1_MODE
#undef WARPBOOK_PACKED_2
#undef WARPBOOK_PACKED_2_MODE
template <HalfPair P>
WARPBOOK_OP P fma(P a, P b, P c) {
  return pack<P>(fma(low(a), low(b), low(c)), fma(high(a), high(b), high(c)));
}
template <HalfPair P>
WARPBOOK_OP P fma(P a, P b, P c, FloatMode mode) {
  return pack<P>(fma(low(a), low(b), low(c), mode), fma(high(a), high(b), high(c), mode));
}

WARPBOOK_OPS_END
