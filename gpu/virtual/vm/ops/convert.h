// cvt: every pair of u8 … u64, s8 … s64, f16, bf16, f32, f64 (PTX ISA section 9.7.9.21 and cvt.pack).
//
//     u32 d = ops::convert<u32>(x);                                // integers: extend or truncate; int → float: rn;
//                                                                  // float → int: rzi; float → float: rn. The hot form.
//     s32 d = ops::convert<s32>(x, {.rounding = Rounding::rmi});   // any mode
//     f16x2 d = ops::convert_pack<f16x2>(upper, lower, {});        // cvt.rn.f16x2.f32 d, upper, lower
//
// float → int clamps to the destination. NaN gives 0; but from f64, or to 64 bits, it gives 1 << (width − 1).
#pragma once

#include "gpu/virtual/vm/ops/half.h"
#include "gpu/virtual/vm/ops/integer.h"

WARPBOOK_OPS_BEGIN

struct ConvertMode {
  Rounding rounding = Rounding::none;  // none: as the hot form
  bool ftz = false, sat = false, relu = false;
};

// ---- float → int ----------------------------------------------------------------------------------------------------

template <Integer D>
inline constexpr D lowest_of = is_signed_v<D> ? static_cast<D>(unsigned_of<D>{1} << (width_of<D> - 1)) : D{0};
template <Integer D>
inline constexpr D highest_of = static_cast<D>(~lowest_of<D>);

/// What an integer destination gets for a NaN of type S.
template <Integer D, AnyFloat S>
inline constexpr D integer_of_nan = sizeof(D) == 8 || sizeof(S) == 8 ? static_cast<D>(unsigned_of<D>(1) << (width_of<D> - 1))
                                                                     : D{0};

/// An integral value (or infinity, NaN), clamped. No conversion is asked for what does not fit: C++ leaves that undefined.
template <Integer D, Native S>
WARPBOOK_OP D clamp_to_integer(S a) {
  constexpr S end = static_cast<S>(u64{1} << (width_of<D> - 1)) * (is_signed_v<D> ? 1 : 2);  // a power of two: exact
  constexpr S begin = is_signed_v<D> ? -end : S{0};
  D d;
  if constexpr (width_of<D> < 32 || is_signed_v<D>) {
    using Via = typename IntegerOf<(sizeof(D) < 4 ? 4 : sizeof(D)), true>::type;  // what hosts convert to in one instruction
    d = static_cast<D>(static_cast<Via>(a >= begin && a < end ? a : S{0}));
  } else {
    // Unsigned of full width: the upper half is moved down and its top bit put back, so that a signed conversion will do.
    constexpr S half = end / 2;
    const S inside = a >= begin && a < end ? a : S{0};
    const bool upper = inside >= half;
    const D low = static_cast<D>(static_cast<signed_of<D>>(upper ? inside - half : inside));
    d = upper ? low ^ (D{1} << (width_of<D> - 1)) : low;
  }
  d = a >= end ? highest_of<D> : d;
  d = a < begin ? lowest_of<D> : d;
  return a == a ? d : integer_of_nan<D, S>;
}

WARPBOOK_OP float round_integral(float a, Rounding rounding) {
  switch (rounding) {
    case Rounding::rni:
    case Rounding::rn:
      return __builtin_rintf(a);
    case Rounding::rmi:
    case Rounding::rm:
      return __builtin_floorf(a);
    case Rounding::rpi:
    case Rounding::rp:
      return __builtin_ceilf(a);
    case Rounding::rna:
      return __builtin_roundf(a);
    case Rounding::none:
    case Rounding::rz:
    case Rounding::rzi:
      break;
  }
  return __builtin_truncf(a);
}
WARPBOOK_OP double round_integral(double a, Rounding rounding) {
  switch (rounding) {
    case Rounding::rni:
    case Rounding::rn:
      return __builtin_rint(a);
    case Rounding::rmi:
    case Rounding::rm:
      return __builtin_floor(a);
    case Rounding::rpi:
    case Rounding::rp:
      return __builtin_ceil(a);
    case Rounding::rna:
      return __builtin_round(a);
    case Rounding::none:
    case Rounding::rz:
    case Rounding::rzi:
      break;
  }
  return __builtin_trunc(a);
}
WARPBOOK_OP bool is_integral_rounding(Rounding rounding) {
  return rounding == Rounding::rni || rounding == Rounding::rzi || rounding == Rounding::rmi || rounding == Rounding::rpi;
}

// ---- the hot form ---------------------------------------------------------------------------------------------------

template <Integer D, Integer S>
WARPBOOK_OP D convert(S a) {
  return static_cast<D>(a);
}
template <Integer D, AnyFloat S>
WARPBOOK_OP D convert(S a) {
  if constexpr (Half<S>) {
    return convert<D>(to_float(a));
  } else {
    return clamp_to_integer<D>(round_integral(a, Rounding::rzi));
  }
}
template <AnyFloat D, Integer S>
WARPBOOK_OP D convert(S a) {
  if constexpr (Half<D>) {
    if constexpr (sizeof(S) == 8) {
      return round_exact<D>(exact_integer(a), Rounding::rn);
    } else {
      return from_double<D>(static_cast<double>(a));
    }
  } else if constexpr (sizeof(D) == 4 && sizeof(S) == 4 && !is_signed_v<S>) {
    // Two halves, each exact, one rounding in the sum: vectorises where hosts convert only signed integers.
    return static_cast<float>(static_cast<s32>(a >> 16)) * 65536.0f + static_cast<float>(static_cast<s32>(a & 0xffffu));
  } else {
    return static_cast<D>(a);
  }
}
template <AnyFloat D, AnyFloat S>
WARPBOOK_OP D convert(S a) {
  if constexpr (sizeof(D) == sizeof(S) && Half<D> && Format<D>::precision == Format<S>::precision) {
    return a;
  } else if constexpr (Half<S>) {
    return convert<D>(to_float(a));
  } else if constexpr (Half<D> && sizeof(S) == 4) {
    return from_float<D>(a);
  } else if constexpr (Half<D>) {
    return from_double<D>(a);
  } else if constexpr (sizeof(D) < sizeof(S)) {
    return canonical(static_cast<D>(a));
  } else {
    return static_cast<D>(a);
  }
}

// ---- any mode -------------------------------------------------------------------------------------------------------

/// Integers; .sat clamps to the destination.
template <Integer D, Integer S>
WARPBOOK_OP D convert(S a, ConvertMode mode) {
  if (mode.sat) {
    if constexpr (is_signed_v<S>) {
      if constexpr (!is_signed_v<D>) {
        if (a < 0) return 0;
      } else if constexpr (sizeof(D) < sizeof(S)) {
        if (a < lowest_of<D>) return lowest_of<D>;
      }
    }
    if constexpr (sizeof(D) < sizeof(S) || (sizeof(D) == sizeof(S) && is_signed_v<D>)) {
      if (a > 0 && static_cast<unsigned_of<S>>(a) > static_cast<unsigned_of<S>>(highest_of<D>)) return highest_of<D>;
    }
  }
  return static_cast<D>(a);
}
template <AnyFloat T>  // .ftz is about f32 alone
WARPBOOK_OP T flush_single(T a, bool ftz) {
  if constexpr (sizeof(T) == 4) {
    return ftz ? flush(a) : a;
  } else {
    return a;
  }
}
template <Integer D, AnyFloat S>
WARPBOOK_OP D convert(S a, ConvertMode mode) {
  if constexpr (Half<S>) {
    return convert<D>(to_float(a), ConvertMode{.rounding = mode.rounding});
  } else {
    return clamp_to_integer<D>(round_integral(flush_single(a, mode.ftz), mode.rounding));
  }
}
template <AnyFloat D>
WARPBOOK_OP D finished(D d, ConvertMode mode) {
  d = flush_single(d, mode.ftz);
  d = mode.sat ? saturate(d) : d;
  return mode.relu ? relu(d) : d;
}
template <AnyFloat D, Integer S>
WARPBOOK_OP D convert(S a, ConvertMode mode) {
  return finished(is_nearest(mode.rounding) ? convert<D>(a) : round_exact<D>(exact_integer(a), mode.rounding), mode);
}
template <AnyFloat D, AnyFloat S>
WARPBOOK_OP D convert(S a, ConvertMode mode) {
  a = flush_single(a, mode.ftz);
  if (is_integral_rounding(mode.rounding)) {  // same format only; a half's integral values are a float's
    if constexpr (Half<S>) {
      return finished(convert<D>(from_float<S>(round_integral(to_float(a), mode.rounding))), mode);
    } else {
      return finished(convert<D>(canonical(round_integral(a, mode.rounding))), mode);
    }
  }
  const bool plain = is_nearest(mode.rounding) || is_nan(a) || is_infinite(a);
  return finished(plain ? convert<D>(a) : round_exact<D>(exact(a), mode.rounding), mode);
}

/// cvt.rn.f16x2.f32 and bf16x2: the first operand goes to the upper half.
template <HalfPair D>
WARPBOOK_OP D convert_pack(float upper, float lower, ConvertMode mode) {
  using Element = typename Packed<D>::Element;
  return pack<D>(convert<Element>(lower, mode), convert<Element>(upper, mode));
}
/// cvt.rna.tf32.f32: 11 significant bits, ties away from zero; the lower 13 bits are zero.
WARPBOOK_OP u32 convert_tf32(float a) {
  return is_nan(a) ? 0x7fffffffu : (bits_of(a) + (is_infinite(a) ? 0u : 0x1000u)) & 0xffffe000u;
}

/// cvt.pack.sat.{u,s}{2,4,8,16}.s32: a and b clamped to `bits`, b lowest, then the low bits of c above them.
WARPBOOK_OP u32 convert_pack_integer(s32 a, s32 b, u32 c, u32 bits, bool is_signed) {
  const s32 highest = static_cast<s32>((1u << (is_signed ? bits - 1 : bits)) - 1), lowest = is_signed ? -highest - 1 : 0;
  const u32 mask = (1u << bits) - 1;
  const u32 high_part = static_cast<u32>(max(lowest, min(highest, a))) & mask;
  const u32 low_part = static_cast<u32>(max(lowest, min(highest, b))) & mask;
  return low_part | high_part << bits | shl(c, 2 * bits);
}

WARPBOOK_OPS_END
