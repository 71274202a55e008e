// What the ops tests share: interesting operands, and oracles that do not use the code under test — the host's own rounding
// modes for f32 and f64, and a search over all 65536 values for the half formats.
#pragma once

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "gpu/virtual/vm/ops/ops.h"

namespace ops_oracle {

namespace ops = warpbook::gpu::vm::ops;
using ops::bf16;
using ops::f16;
using ops::Rounding;
using ops::s16, ops::s32, ops::s64, ops::s8, ops::u16, ops::u32, ops::u64, ops::u8;
__extension__ typedef __float128 f128;  // 113 significant bits
using ops::s128, ops::u128;

inline constexpr std::array directed{Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp};

/// Runs `compute` in a rounding mode of the host. Operands and results must pass through volatile variables.
template <class F>
auto in_host_mode(Rounding rounding, F compute) {
  const int mode = rounding == Rounding::rz   ? FE_TOWARDZERO
                   : rounding == Rounding::rm ? FE_DOWNWARD
                   : rounding == Rounding::rp ? FE_UPWARD
                                              : FE_TONEAREST;
  std::fesetround(mode);
  const volatile auto d = compute();
  std::fesetround(FE_TONEAREST);
  return d;
}

template <class T>
bool nan_bits(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(a);
  else
    return (a.bits & 0x7fff) > (std::is_same_v<T, f16> ? 0x7c00 : 0x7f80);
}
template <class T>
auto raw(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<std::conditional_t<sizeof(T) == 4, u32, u64>>(a);
  else
    return a.bits;
}
/// The expected bits: any NaN of the oracle stands for the canonical one.
template <class T>
auto expected(T a) {
  using Bits = decltype(raw(a));
  constexpr u64 nan = sizeof(T) == 2 ? 0x7fff : sizeof(T) == 4 ? 0x7fffffff : 0xfff8000000000000;
  return nan_bits(a) ? static_cast<Bits>(nan) : raw(a);
}

class Operands {
 public:
  explicit Operands(u64 seed) : random_(seed) {}
  u64 bits() { return random_(); }
  template <class I>
  I integer() {
    static constexpr u64 edges[] = {0,
                                    1,
                                    2,
                                    3,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    ~0ull,
                                    ~1ull};
    const u64 choice = random_() % 8;
    if (choice < 3) return static_cast<I>(edges[random_() % std::size(edges)]);
    return static_cast<I>(random_() >> (choice == 3 ? random_() % 64 : 0));
  }
  /// Any bits, edge values, and small exponents that make sums cancel and round.
  template <class F>
  F real() {
    using Bits = std::conditional_t<sizeof(F) == 4, u32, u64>;
    constexpr int fraction = sizeof(F) == 4 ? 23 : 52;
    constexpr Bits exponent_ones = sizeof(F) == 4 ? 0xff : 0x7ff, bias = exponent_ones / 2;
    const Bits sign = static_cast<Bits>(random_() & 1) << (sizeof(F) * 8 - 1);
    const Bits low = static_cast<Bits>(random_()) & ((Bits{1} << fraction) - 1);
    switch (random_() % 8) {
      case 0: {
        const F edges[] = {0,
                           1,
                           F(0.5),
                           2,
                           3,
                           std::numeric_limits<F>::infinity(),
                           std::numeric_limits<F>::quiet_NaN(),
                           std::numeric_limits<F>::max(),
                           std::numeric_limits<F>::min(),
                           std::numeric_limits<F>::denorm_min(),
                           std::numeric_limits<F>::epsilon(),
                           1 + std::numeric_limits<F>::epsilon()};
        return std::bit_cast<F>(static_cast<Bits>(std::bit_cast<Bits>(edges[random_() % std::size(edges)]) | sign));
      }
      case 1:
        return std::bit_cast<F>(static_cast<Bits>(sign | (low >> random_() % fraction)));  // subnormal
      case 2:
        return std::bit_cast<F>(static_cast<Bits>(random_()));
      case 3:
        return std::bit_cast<F>(static_cast<Bits>(sign | (bias + random_() % 8) << fraction));  // a power of two
      case 4:
        return std::bit_cast<F>(static_cast<Bits>(sign | (bias - 60 + random_() % 120) << fraction | low));
      default:
        return std::bit_cast<F>(static_cast<Bits>(sign | (bias - 3 + random_() % 6) << fraction | low));
    }
  }

 private:
  std::mt19937_64 random_;
};

/// The values of a half format, ascending from +0 to infinity: index = bits. bf16 is the upper half of an f32.
inline f128 half_value(f16 a) {
  const int field = a.bits >> 10 & 31, fraction = a.bits & 1023;
  const double value = field ? std::ldexp(1024 + fraction, field - 25) : std::ldexp(fraction, -24);
  return static_cast<f128>(a.bits & 0x8000 ? -value : value);
}
inline f128 half_value(bf16 a) { return static_cast<f128>(std::bit_cast<float>(static_cast<u32>(a.bits) << 16)); }

/// value + rest (rest far below value) rounded by looking for the neighbours among all values of the format.
template <class T>
T half_nearest(f128 value, f128 rest, Rounding rounding) {
  constexpr u16 infinity = std::is_same_v<T, f16> ? 0x7c00 : 0x7f80;
  const bool negative = value < 0;
  if (negative) {
    value = -value;
    rest = -rest;
  }
  // The last finite value not above |value + rest|.
  u16 low = 0, high = infinity;  // value(low) ≤ x; infinity counts as the next power of two
  const auto at = [](u16 bits) -> f128 {
    return bits == infinity ? 2 * half_value(T{static_cast<u16>(infinity - (std::is_same_v<T, f16> ? 0x400 : 0x80))})
                            : half_value(T{bits});
  };
  const auto above = [&](f128 limit) { return value > limit || (value == limit && rest >= 0); };  // x ≥ limit
  while (high - low > 1) {
    const u16 middle = static_cast<u16>((low + high) / 2);
    (above(at(middle)) ? low : high) = middle;
  }
  const f128 half = (at(low) + at(high)) / 2;
  const bool exact = value == at(low) && rest == 0;
  const bool past_end = above(at(infinity));
  bool up = past_end;
  switch (rounding) {
    case Rounding::rz:
      up = false;
      break;
    case Rounding::rm:
      up = negative && !exact;
      break;
    case Rounding::rp:
      up = !negative && !exact;
      break;
    default:
      up = up || (value == half && rest == 0 ? (low & 1) != 0 : above(half));
      break;
  }
  return T{static_cast<u16>((up ? high : low) | (negative ? 0x8000 : 0))};
}

}  // namespace ops_oracle
