// Small formats packed into one register: pairs of 16-bit integers, 8-bit floats, tf32, and cvt.pack.
//
//     u32 d = ops::per_half<s16>(a, b, [](s16 x, s16 y) { return ops::min(x, y); });   // min.s16x2
//     u16 d = ops::fp8_pair(upper, lower, e4m3, relu);                                 // cvt.rn.satfinite.e4m3x2.f32
//
// E4M3 and E5M2 are those of the OCP 8-bit floating-point specification (OFP8, 2023), as PTX's cvt uses them: rounded to
// nearest even, too large becomes the largest finite value, NaN becomes 0x7f. E4M3 has no infinity.
#pragma once

#include "gpu/virtual/vm/ops/convert.h"

WARPBOOK_OPS_BEGIN

template <class T, class F>
WARPBOOK_OP u32 per_half(u32 a, u32 b, F of) {
  const T low = of(static_cast<T>(a), static_cast<T>(b));
  const T high = of(static_cast<T>(a >> 16), static_cast<T>(b >> 16));
  return static_cast<u32>(static_cast<u16>(high)) << 16 | static_cast<u16>(low);
}

struct Fp8 {
  int mantissa_bits, bias;
  u8 largest;          // the largest finite value's bits
  u8 first_no_number;  // magnitudes from here on are NaN; below it and above `largest`: infinity
};
inline constexpr Fp8 e4m3{3, 7, 0x7e, 0x7f};
inline constexpr Fp8 e5m2{2, 15, 0x7b, 0x7d};

/// rn, satfinite.
WARPBOOK_OP u8 to_fp8(float a, Fp8 format) {
  if (is_nan(a)) return 0x7f;
  const u32 sign = bits_of(a) >> 24 & 0x80u, magnitude = magnitude_bits(a);
  const int dropped = 23 - format.mantissa_bits;
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const int smallest = 1 - format.bias;  // exponent of the smallest normal number; below it the last place stays the same
  u32 rounded;
  if (exponent >= smallest) {
    const u32 half = (1u << (dropped - 1)) - 1 + (magnitude >> dropped & 1u);
    rounded = ((magnitude + half) >> dropped) - (static_cast<u32>(127 - format.bias) << format.mantissa_bits);
  } else {
    const int shift = dropped + (smallest - exponent);
    const u64 significand = (magnitude & 0x7fffffu) | (magnitude >> 23 ? 0x800000u : 0u);
    rounded =
        shift > 40 ? 0u : static_cast<u32>((significand + ((u64{1} << (shift - 1)) - 1) + (significand >> shift & 1u)) >> shift);
  }
  return static_cast<u8>(sign | (rounded > format.largest ? u32{format.largest} : rounded));
}

WARPBOOK_OP float from_fp8(u8 a, Fp8 format) {
  const u32 magnitude = a & 0x7fu, sign = static_cast<u32>(a & 0x80u) << 24;
  if (magnitude >= format.first_no_number) return canonical_nan<float>();
  if (magnitude > format.largest) return from_bits<float>(sign | 0x7f800000u);
  const u32 exponent = magnitude >> format.mantissa_bits;
  if (exponent == 0) {
    const float step = from_bits<float>(static_cast<u32>(127 + 1 - format.bias - format.mantissa_bits) << 23);
    return from_bits<float>(bits_of(static_cast<float>(magnitude) * step) | sign);
  }
  return from_bits<float>(sign | ((magnitude << (23 - format.mantissa_bits)) + (static_cast<u32>(127 - format.bias) << 23)));
}

WARPBOOK_OP u16 fp8_pair(float upper, float lower, Fp8 format, bool with_relu) {
  const auto one = [&](float a) { return u32{to_fp8(with_relu && !is_nan(a) && sign_of(a) ? 0.0f : a, format)}; };
  return static_cast<u16>(one(upper) << 8 | one(lower));
}
WARPBOOK_OP u32 halves_of_fp8(u16 pair, Fp8 format, bool with_relu) {
  const auto one = [&](u8 a) {
    const f16 half = from_float<f16>(from_fp8(a, format));
    return u32{(with_relu ? relu(half) : half).bits};
  };
  return one(static_cast<u8>(pair >> 8)) << 16 | one(static_cast<u8>(pair));
}

/// cvt.rna.tf32.f32 (to nearest, ties away from zero) and cvt.rn / .rz: 10 bits of mantissa are kept, the rest is zero.
WARPBOOK_OP u32 to_tf32(float a, Rounding rounding, bool saturate_finite, bool with_relu) {
  if (is_nan(a)) return bits_of(canonical_nan<float>());
  if (with_relu && sign_of(a)) return 0;
  const u32 bits = bits_of(a);
  if (is_infinite(a)) return saturate_finite ? (bits & 0x80000000u) | 0x7f7fe000u : bits;
  const u32 half = rounding == Rounding::rz ? 0u : rounding == Rounding::rn ? 0xfffu + (bits >> 13 & 1u) : 0x1000u;
  const u32 rounded = (bits + half) & ~0x1fffu;
  if (saturate_finite && (rounded & 0x7fffffffu) >= 0x7f800000u) return (bits & 0x80000000u) | 0x7f7fe000u;
  return rounded;
}

/// cvt.pack.sat: a and b clamped to `bits` wide integers, a above b, c's low bits above both.
WARPBOOK_OP u32 convert_pack_integers(s32 a, s32 b, u32 c, unsigned bits, bool is_signed) {
  const s32 least = is_signed ? -(1 << (bits - 1)) : 0, most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  const auto one = [&](s32 x) { return static_cast<u32>(x < least ? least : x > most ? most : x) & ((1u << bits) - 1u); };
  const u32 pair = one(a) << bits | one(b);
  return 2 * bits >= 32 ? pair : pair | c << 2 * bits;
}

WARPBOOK_OPS_END
