// Exact arithmetic on finite values, rounded once: the slow and certain path behind the directed roundings, f64 included.
//
//     Exact sum = exact_sum(exact(a), exact(b), Rounding::rz);
//     float d = round_exact<float>(sum, Rounding::rz);
//
// An Exact is ± significand · 2^exponent. Where an operation has more digits than fit, the lowest bit of its significand is
// set to say "and something more" (sticky); at least 60 bits stand above it, so that rounding to 53 never confuses it.
// Rounding follows IEEE 754-2008 section 4.3; overflow section 7.4.
#pragma once

#include "gpu/virtual/ptx/module.h"
#include "gpu/virtual/vm/ops/base.h"

WARPBOOK_OPS_BEGIN

using ptx::Rounding;

struct Exact {
  bool negative = false;
  int exponent = 0;
  u128 significand = 0;
};

inline int bit_length(u128 a) {
  const u64 high = static_cast<u64>(a >> 64), low = static_cast<u64>(a);
  return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/// a >> shift; lost ones leave the lowest bit set.
inline u128 shift_right_sticky(u128 a, int shift) {
  if (shift <= 0) return a;
  if (shift > 127) return a != 0;
  const u128 kept = a >> shift;
  return kept | static_cast<u128>((kept << shift) != a);
}

/// Whether the magnitude goes up: `odd` is the last kept bit, `half` the first dropped one, `rest` whether any below is set.
inline bool rounds_up(Rounding rounding, bool negative, bool odd, bool half, bool rest) {
  switch (rounding) {
    case Rounding::rz:
    case Rounding::rzi:
      return false;
    case Rounding::rm:
    case Rounding::rmi:
      return negative && (half || rest);
    case Rounding::rp:
    case Rounding::rpi:
      return !negative && (half || rest);
    case Rounding::rna:
      return half;
    case Rounding::none:
    case Rounding::rn:
    case Rounding::rni:
      break;
  }
  return half && (rest || odd);
}

/// A finite value, taken apart.
template <AnyFloat T>
inline Exact exact(T a) {
  constexpr int precision = Format<T>::precision;
  const u64 bits = magnitude_bits(a);
  const int field = static_cast<int>(bits >> (precision - 1));
  const u64 fraction = bits & ((1ull << (precision - 1)) - 1);
  const u64 significand = field ? fraction | 1ull << (precision - 1) : fraction;
  return {sign_of(a), (field ? field : 1) - Format<T>::max_exponent - (precision - 1), significand};
}

template <Integer I>
inline Exact exact_integer(I a) {
  if constexpr (is_signed_v<I>) {
    const u64 wide = static_cast<u64>(static_cast<s64>(a));
    return {a < 0, 0, a < 0 ? 0 - wide : wide};
  } else {
    return {false, 0, a};
  }
}

/// The nearest value of the format in the given direction; subnormals, overflow and the sign of zero included.
template <AnyFloat T>
inline T round_exact(const Exact& value, Rounding rounding) {
  using Bits = typename Format<T>::Bits;
  constexpr int precision = Format<T>::precision, min_exponent = 1 - Format<T>::max_exponent;
  const Bits sign = value.negative ? sign_mask<T> : Bits{0};
  if (value.significand == 0) return from_bits<T>(sign);

  const int top = value.exponent + bit_length(value.significand) - 1;  // exponent of the leading one
  const bool subnormal = top < min_exponent;
  const int unit = (subnormal ? min_exponent : top) - (precision - 1);  // exponent of the last place kept
  const int shift = unit - value.exponent;
  u64 kept = 0;
  bool half = false, rest = false;
  if (shift <= 0) {
    kept = static_cast<u64>(value.significand << -shift);
  } else if (shift <= 128) {
    kept = shift == 128 ? 0 : static_cast<u64>(value.significand >> shift);
    half = (value.significand >> (shift - 1) & 1) != 0;
    rest = (value.significand & ((u128{1} << (shift - 1)) - 1)) != 0;
  } else {
    rest = true;
  }
  kept += rounds_up(rounding, value.negative, (kept & 1) != 0, half, rest);

  // A carry out of the significand runs into the exponent field, which is just what the next value is.
  const int field = subnormal ? 0 : top - min_exponent;
  const u64 magnitude = (static_cast<u64>(field < 0 ? 0 : field) << (precision - 1)) + kept;
  if (field > 2 * Format<T>::max_exponent || magnitude >= infinity_bits<T>) {
    const bool to_infinity = rounds_up(rounding, value.negative, true, true, true);
    return from_bits<T>(static_cast<Bits>(sign | (infinity_bits<T> - !to_infinity)));
  }
  return from_bits<T>(static_cast<Bits>(sign | magnitude));
}

/// The leading one at bit `position`; shifting left only loses nothing.
inline Exact normalised(Exact a, int position) {
  const int shift = position - (bit_length(a.significand) - 1);
  return {a.negative, a.exponent - shift, shift >= 0 ? a.significand << shift : shift_right_sticky(a.significand, -shift)};
}

/// Significands of at most 106 bits. An exact zero is +0, under rm −0; zeros of the same sign keep it.
inline Exact exact_sum(const Exact& a, const Exact& b, Rounding rounding) {
  if (a.significand == 0 && b.significand == 0) return {a.negative == b.negative ? a.negative : rounding == Rounding::rm, 0, 0};
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  Exact large = normalised(a, 125), small = normalised(b, 125);
  if (large.exponent < small.exponent || (large.exponent == small.exponent && large.significand < small.significand)) {
    const Exact swap = large;
    large = small;
    small = swap;
  }
  small.significand = shift_right_sticky(small.significand, large.exponent - small.exponent);
  if (large.negative == small.negative) {
    large.significand += small.significand;
  } else {
    large.significand -= small.significand;
    if (large.significand == 0) large.negative = rounding == Rounding::rm;
  }
  return large;
}

/// Significands of at most 53 bits each.
inline Exact exact_product(const Exact& a, const Exact& b) {
  return {a.negative != b.negative, a.exponent + b.exponent, a.significand * b.significand};
}

/// b is not zero and has at most 53 bits.
inline Exact exact_quotient(const Exact& a, const Exact& b) {
  if (a.significand == 0) return {a.negative != b.negative, 0, 0};
  const Exact n = normalised(a, 127);
  const u128 quotient = n.significand / b.significand;
  const bool more = quotient * b.significand != n.significand;
  return {a.negative != b.negative, n.exponent - b.exponent, quotient | static_cast<u128>(more)};
}

/// a ≥ 0.
inline Exact exact_sqrt(const Exact& a) {
  if (a.significand == 0) return a;
  Exact n = normalised(a, 126);
  if (n.exponent & 1) n = {false, n.exponent - 1, n.significand << 1};
  u128 root = 0, rest = n.significand;  // digit by digit, two bits a step
  for (int bit = 126; bit >= 0; bit -= 2) {
    const u128 trial = root + (u128{1} << bit);
    root >>= 1;
    if (rest >= trial) {
      rest -= trial;
      root += u128{1} << bit;
    }
  }
  return {false, n.exponent / 2 - 1, root << 1 | static_cast<u128>(rest != 0)};
}

WARPBOOK_OPS_END
