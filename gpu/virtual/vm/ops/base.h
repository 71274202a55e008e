// What all semantics share: short names of the lane types, the half-precision formats, and bits of floating-point values.
//
//     float x = from_bits<float>(0x7f800000u);   // +infinity
//     is_nan(x); sign_of(x); flush(x);
//
// Formats are IEEE 754's binary16/32/64 and bfloat16 (binary32 cut to 8 significant bits). The canonical NaN is the one
// that NVIDIA hardware returns: 0x7fffffff (f32), 0x7fff (f16, bf16), 0xfff8000000000000 (f64, CUDART_NAN). PTX lets f64
// carry NaN payloads along; here every NaN result is the canonical one, so that the same kernel gives the same bits on
// every host instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/virtual/vm/ops/namespace.h"

WARPBOOK_OPS_BEGIN

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/// IEEE 754 binary16, as the bits that a PTX register holds.
struct f16 {
  u16 bits;
};
/// bfloat16.
struct bf16 {
  u16 bits;
};
/// Two packed halves; element 0 lies in the low 16 bits.
struct f16x2 {
  u32 bits;
};
struct bf16x2 {
  u32 bits;
};

// Traits. No <type_traits>: variables and types carry no code, so these are safe in every translation unit anyway, but the
// half formats need their own row.
template <class T>
inline constexpr bool is_signed_v = static_cast<T>(-1) < static_cast<T>(0);
template <class T>
inline constexpr unsigned width_of = 8 * sizeof(T);

template <unsigned Bytes, bool Signed>
struct IntegerOf;
template <>
struct IntegerOf<1, false> {
  using type = u8;
};
template <>
struct IntegerOf<2, false> {
  using type = u16;
};
template <>
struct IntegerOf<4, false> {
  using type = u32;
};
template <>
struct IntegerOf<8, false> {
  using type = u64;
};
template <>
struct IntegerOf<16, false> {
  using type = u128;
};
template <>
struct IntegerOf<1, true> {
  using type = s8;
};
template <>
struct IntegerOf<2, true> {
  using type = s16;
};
template <>
struct IntegerOf<4, true> {
  using type = s32;
};
template <>
struct IntegerOf<8, true> {
  using type = s64;
};
template <>
struct IntegerOf<16, true> {
  using type = s128;
};
template <class T>
using unsigned_of = typename IntegerOf<sizeof(T), false>::type;
template <class T>
using signed_of = typename IntegerOf<sizeof(T), true>::type;
/// Twice as wide, same signedness.
template <class T>
using wide_of = typename IntegerOf<2 * sizeof(T), is_signed_v<T>>::type;

/// A binary floating-point format. precision counts the hidden bit; max_exponent is that of the largest finite value.
template <class T>
struct Format;
template <>
struct Format<f16> {
  using Bits = u16;
  static constexpr int precision = 11, max_exponent = 15;
  static constexpr Bits canonical_nan = 0x7fff;
};
template <>
struct Format<bf16> {
  using Bits = u16;
  static constexpr int precision = 8, max_exponent = 127;
  static constexpr Bits canonical_nan = 0x7fff;
};
template <>
struct Format<float> {
  using Bits = u32;
  static constexpr int precision = 24, max_exponent = 127;
  static constexpr Bits canonical_nan = 0x7fffffffu;
};
template <>
struct Format<double> {
  using Bits = u64;
  static constexpr int precision = 53, max_exponent = 1023;
  static constexpr Bits canonical_nan = 0xfff8000000000000ull;
};

template <class T>
concept Integer = static_cast<T>(3) / 2 == static_cast<T>(1);
template <class T>
concept AnyFloat = requires {
  Format<T>::precision;
};
template <class T>
concept Half = AnyFloat<T> && sizeof(T) == 2;
template <class T>
concept Native = AnyFloat<T> && sizeof(T) > 2;  // float, double: what the host computes with

template <AnyFloat T>
inline constexpr typename Format<T>::Bits sign_mask = static_cast<typename Format<T>::Bits>(1ull << (8 * sizeof(T) - 1));
template <AnyFloat T>  // the exponent field, all ones: infinity's bits
inline constexpr typename Format<T>::Bits infinity_bits =
    static_cast<typename Format<T>::Bits>((static_cast<u64>(2 * Format<T>::max_exponent + 1)) << (Format<T>::precision - 1));

template <AnyFloat T>
WARPBOOK_OP typename Format<T>::Bits bits_of(T a) {
  return __builtin_bit_cast(typename Format<T>::Bits, a);
}
template <AnyFloat T>
WARPBOOK_OP T from_bits(typename Format<T>::Bits bits) {
  return __builtin_bit_cast(T, bits);
}
template <AnyFloat T>
WARPBOOK_OP typename Format<T>::Bits magnitude_bits(T a) {
  return static_cast<typename Format<T>::Bits>(bits_of(a) & ~sign_mask<T>);
}
template <AnyFloat T>
WARPBOOK_OP bool sign_of(T a) {
  return (bits_of(a) & sign_mask<T>) != 0;
}
template <AnyFloat T>
WARPBOOK_OP bool is_nan(T a) {
  return magnitude_bits(a) > infinity_bits<T>;
}
template <AnyFloat T>
WARPBOOK_OP bool is_infinite(T a) {
  return magnitude_bits(a) == infinity_bits<T>;
}
template <AnyFloat T>
WARPBOOK_OP bool is_subnormal_or_zero(T a) {
  return (bits_of(a) & infinity_bits<T>) == 0;
}
template <AnyFloat T>
WARPBOOK_OP T canonical_nan() {
  return from_bits<T>(Format<T>::canonical_nan);
}
/// NaN → the canonical NaN; everything else unchanged.
template <AnyFloat T>
WARPBOOK_OP T canonical(T a) {
  if constexpr (Native<T>) {
    return a == a ? a : canonical_nan<T>();
  } else {
    return from_bits<T>(is_nan(a) ? Format<T>::canonical_nan : bits_of(a));
  }
}
/// .ftz: a subnormal → zero of the same sign.
template <AnyFloat T>
WARPBOOK_OP T flush(T a) {
  using Bits = typename Format<T>::Bits;
  const Bits bits = bits_of(a);
  return from_bits<T>(is_subnormal_or_zero(a) ? static_cast<Bits>(bits & sign_mask<T>) : bits);
}

WARPBOOK_OPS_END
