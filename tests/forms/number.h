// The oracle's floating point: values as IEEE quad precision, 113 bits, wide enough that sums, products and quotients of all of
// PTX's formats are known exactly enough to be rounded by the definition. It uses neither the code under test nor the host's modes.
//
//     Number a = Number::of(bits, f32), b = …;
//     u64 sum = round(exact_sum(a, b), f32, "rm");        // the bits that add.rm.f32 must give
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::test {

using u64 = std::uint64_t;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __float128 f128;

struct Format {
  int exponent, fraction;  // bits
  [[nodiscard]] unsigned width() const { return static_cast<unsigned>(1 + exponent + fraction); }
  [[nodiscard]] int bias() const { return (1 << (exponent - 1)) - 1; }
  [[nodiscard]] u64 infinity() const { return ((u64{1} << exponent) - 1) << fraction; }
  [[nodiscard]] u64 sign() const { return u64{1} << (exponent + fraction); }
  [[nodiscard]] u64 nan() const { return exponent == 11 ? 0x7fffffffffffffff : sign() - 1; }  // canonical
  [[nodiscard]] u64 one() const { return static_cast<u64>(bias()) << fraction; }
  /// e4m3 has no infinity: its last exponent holds numbers, but for one NaN.
  [[nodiscard]] bool has_infinity() const { return exponent != 4; }
  [[nodiscard]] u64 greatest() const { return (has_infinity() ? infinity() : nan()) - 1; }
  [[nodiscard]] bool is_nan(u64 bits) const {
    return has_infinity() ? (bits & (sign() - 1)) > infinity() : (bits & (sign() - 1)) == nan();
  }
  [[nodiscard]] bool is_infinite(u64 bits) const { return has_infinity() && (bits & (sign() - 1)) == infinity(); }
  [[nodiscard]] bool is_zero(u64 bits) const { return (bits & (sign() - 1)) == 0; }
  [[nodiscard]] bool is_subnormal(u64 bits) const { return !is_zero(bits) && (bits & infinity()) == 0; }
  [[nodiscard]] u64 flushed(u64 bits) const { return is_subnormal(bits) ? bits & sign() : bits; }  // .ftz
};
inline constexpr Format f16{5, 10}, bf16{8, 7}, f32{8, 23}, f64{11, 52}, e4m3{4, 3}, e5m2{5, 2}, tf32{8, 10};

/// Of a type or of one element of a packed one.
[[nodiscard]] inline Format format_of(ptx::Type type) {
  switch (type) {
    case ptx::Type::f16:
    case ptx::Type::f16x2:
      return f16;
    case ptx::Type::bf16:
    case ptx::Type::bf16x2:
      return bf16;
    case ptx::Type::e4m3x2:
      return e4m3;
    case ptx::Type::e5m2x2:
      return e5m2;
    case ptx::Type::tf32:
      return tf32;
    case ptx::Type::f64:
      return f64;
    default:
      return f32;
  }
}

[[nodiscard]] inline f128 power_of_two(int n) {
  return std::bit_cast<f128>(static_cast<u128>(n + 16383) << 112);  // −16382 … 16383
}

/// A real number, or an infinity, or not a number. value + rest is exact; rest is far below the last place of value.
struct Number {
  enum class Kind { finite, infinite, nan } kind = Kind::finite;
  bool negative = false;  // zeros have signs
  f128 value = 0, rest = 0;

  [[nodiscard]] static Number of(u64 bits, Format format) {
    const bool negative = bits & format.sign();
    bits &= format.sign() - 1;
    if (format.is_nan(bits)) return {.kind = Kind::nan};
    if (format.is_infinite(bits)) return {.kind = Kind::infinite, .negative = negative};
    const int field = static_cast<int>(bits >> format.fraction);
    const u64 fraction = bits & ((u64{1} << format.fraction) - 1), whole = field ? fraction | u64{1} << format.fraction : fraction;
    const f128 value = static_cast<f128>(whole) * power_of_two((field ? field : 1) - format.bias() - format.fraction);
    return {.negative = negative, .value = negative ? -value : value};
  }
  [[nodiscard]] static Number integer(s128 value) { return {.negative = value < 0, .value = static_cast<f128>(value)}; }
  [[nodiscard]] bool is_nan() const { return kind == Kind::nan; }
  [[nodiscard]] bool is_infinite() const { return kind == Kind::infinite; }
  [[nodiscard]] bool is_zero() const { return kind == Kind::finite && value == 0; }
  [[nodiscard]] Number negated() const { return {kind, !negative, -value, -rest}; }
};

/// Rounded to the format by the mode's definition ("" is rn; "rna": ties away from zero). saturate: never an infinity from a
/// number.
[[nodiscard]] inline u64 round(const Number& number, Format format, std::string_view mode, bool saturate = false) {
  const u64 sign = number.negative ? format.sign() : 0;
  if (number.is_nan()) return format.nan();
  if (number.is_infinite()) return sign | format.infinity();
  if (number.is_zero()) return sign;
  const f128 x = number.negative ? -number.value : number.value, rest = number.negative ? -number.rest : number.rest;
  const u128 bits = std::bit_cast<u128>(x);
  int exponent = static_cast<int>(bits >> 112) - 16383;
  if (bits << 16 == 0 && rest < 0) --exponent;  // just below a power of two
  const int least = 1 - format.bias(), quantum = (exponent > least ? exponent : least) - format.fraction;
  const f128 scaled = x * power_of_two(-quantum);
  u64 n = static_cast<u64>(scaled);
  f128 part = scaled - static_cast<f128>(n);
  int beyond = rest > 0 ? 1 : rest < 0 ? -1 : 0;  // where the number lies beside n + part
  if (part == 0 && beyond < 0) --n, part = 1;
  const int half = part > f128(0.5) ? 1 : part < f128(0.5) ? -1 : beyond;  // against the middle
  const bool exact = part == 0 && beyond == 0;
  const bool up = mode == "rz"   ? false
                  : mode == "rm" ? number.negative && !exact
                  : mode == "rp" ? !number.negative && !exact
                                 : half > 0 || (half == 0 && (mode == "rna" || (n & 1)));
  u64 result = (static_cast<u64>(quantum - (least - format.fraction)) << format.fraction) + n + up;
  if (result > format.greatest()) {
    const bool stays = saturate || mode == "rz" || (mode == "rm" && !number.negative) || (mode == "rp" && number.negative);
    result = stays ? format.greatest() : format.infinity();
  }
  return sign | result;
}

[[nodiscard]] inline Number exact_sum(const Number& a, const Number& b, std::string_view mode) {
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_infinite() && a.negative != b.negative))
    return {.kind = Number::Kind::nan};
  if (a.is_infinite()) return a;
  if (b.is_infinite()) return b;
  const f128 sum = a.value + b.value, part = sum - a.value;
  const f128 rest = (a.value - (sum - part)) + (b.value - part);  // Knuth's two-sum
  if (sum == 0) return {.negative = a.negative == b.negative ? a.negative : mode == "rm"};
  return {.negative = sum < 0, .value = sum, .rest = rest};
}

[[nodiscard]] inline Number exact_product(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_zero()) || (a.is_zero() && b.is_infinite()))
    return {.kind = Number::Kind::nan};
  if (a.is_infinite() || b.is_infinite()) return {.kind = Number::Kind::infinite, .negative = negative};
  return {.negative = negative, .value = a.value * b.value};
}

/// A quotient of two 53-bit numbers never comes as near to the middle between two of them as quad precision errs; so too a root.
[[nodiscard]] inline Number quotient(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_infinite()) || (a.is_zero() && b.is_zero()))
    return {.kind = Number::Kind::nan};
  if (a.is_infinite() || b.is_zero()) return {.kind = Number::Kind::infinite, .negative = negative};
  if (b.is_infinite()) return {.negative = negative};
  return {.negative = negative, .value = a.value / b.value};
}

[[nodiscard]] inline Number root(const Number& a) {
  if (a.is_nan() || (a.negative && !a.is_zero())) return {.kind = Number::Kind::nan};
  if (a.is_infinite() || a.is_zero()) return a;
  f128 s = static_cast<f128>(__builtin_sqrtl(static_cast<long double>(a.value)));
  s = (s + a.value / s) / 2;
  return {.value = s};
}

}  // namespace warpbook::gpu::test
