// Video instructions: parts of registers, picked, extended, computed with wider than they are, saturated, merged.
// PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions".
//
//     VideoForm form{.op = VideoOp::absdiff, .elements = 4, .a_signed = false, .b_signed = false, .add = true};
//     u32 d = ops::video(form, a, b, c);                              // vabsdiff4.u32.u32.u32.add d, a, b, c
//
// A selector is four hexadecimal digits, the upper element first (".h32" is 0x32, ".b7654" is 0x7654); of a scalar
// instruction ".b2" is 0x12 and ".h1" is 0x21: kind and index.
#pragma once

#include "gpu/virtual/vm/ops/compare.h"

WARPBOOK_OPS_BEGIN

enum class VideoOp : u8 { add, sub, avrg, absdiff, min, max, shl, shr, set };

struct VideoForm {
  VideoOp op = VideoOp::add;
  unsigned elements = 1;  // 1, 2 (halves), 4 (bytes)
  bool d_signed = false, a_signed = false, b_signed = false;
  bool sat = false, wrap = false;                 // wrap: vshl and vshr count modulo 32
  bool add = false, least = false, most = false;  // what is done with c
  Compare compare = Compare::none;
  u32 d_select = 0, a_select = 0, b_select = 0;  // 0: the default
};

WARPBOOK_OP s64 extended(u32 value, unsigned bits, bool is_signed) {
  const u64 low = value & (bits >= 32 ? ~u32{0} : (u32{1} << bits) - 1u);
  return is_signed && (low >> (bits - 1) & 1u) ? static_cast<s64>(low) - (s64{1} << bits) : static_cast<s64>(low);
}

WARPBOOK_OP s64 video_scalar_operand(u32 value, u32 select, bool is_signed) {
  const unsigned index = select & 15u;
  if (select >> 4 == 1) return extended(value >> (8 * index & 31u), 8, is_signed);
  if (select >> 4 == 2) return extended(value >> (16 * index & 31u), 16, is_signed);
  return extended(value, 32, is_signed);
}

WARPBOOK_OP s64 clamped(s64 value, unsigned bits, bool is_signed) {
  const s64 least = is_signed ? -(s64{1} << (bits - 1)) : 0, most = (s64{1} << (is_signed ? bits - 1 : bits)) - 1;
  return value < least ? least : value > most ? most : value;
}

WARPBOOK_OP s64 video_compute(const VideoForm& form, s64 a, s64 b) {
  switch (form.op) {
    case VideoOp::add:
      return a + b;
    case VideoOp::sub:
      return a - b;
    case VideoOp::avrg:
      return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case VideoOp::absdiff:
      return a < b ? b - a : a - b;
    case VideoOp::min:
      return a < b ? a : b;
    case VideoOp::max:
      return a > b ? a : b;
    case VideoOp::shl:
    case VideoOp::shr: {
      const s64 amount = form.wrap ? b & 31 : b < 0 || b > 32 ? 32 : b;
      // 2^31 and more, 32 places up, are more than s64 holds: as much as it does, with the same low word.
      if (form.op == VideoOp::shl && amount == 32 && a > 0x7fffffff) return 0x7fffffff00000000;
      return form.op == VideoOp::shl ? static_cast<s64>(static_cast<u64>(a) << amount) : a >> amount;
    }
    case VideoOp::set:
      switch (form.compare) {
        case Compare::eq:
          return a == b;
        case Compare::ne:
          return a != b;
        case Compare::lt:
          return a < b;
        case Compare::le:
          return a <= b;
        case Compare::gt:
          return a > b;
        default:
          return a >= b;
      }
  }
  return 0;
}

WARPBOOK_OP u32 video_scalar(const VideoForm& form, u32 a, u32 b, u32 c) {
  s64 value = video_compute(form, video_scalar_operand(a, form.a_select, form.a_signed),
                            video_scalar_operand(b, form.b_select, form.b_signed));
  const unsigned kind = form.d_select >> 4, bits = kind == 1 ? 8 : kind == 2 ? 16 : 32;
  if (form.sat) value = clamped(value, bits, form.d_signed);
  const u32 low = static_cast<u32>(value);
  if (form.add) return low + c;
  if (form.least || form.most) {
    const bool less = form.d_signed ? static_cast<s32>(low) < static_cast<s32>(c) : low < c;
    return less == form.least ? low : c;
  }
  if (!kind) return low;
  const unsigned at = bits * (form.d_select & 15u);
  const u32 field = ((u32{1} << bits) - 1u) << at;
  return (c & ~field) | (low << at & field);
}

WARPBOOK_OP u32 video(const VideoForm& form, u32 a, u32 b, u32 c) {
  if (form.elements == 1) return video_scalar(form, a, b, c);
  const unsigned bits = 32 / form.elements;
  const u64 both = static_cast<u64>(b) << 32 | a;
  const u32 a_select = form.a_select ? form.a_select : form.elements == 2 ? 0x10u : 0x3210u;
  const u32 b_select = form.b_select ? form.b_select : form.elements == 2 ? 0x32u : 0x7654u;
  const u32 written = form.d_select ? form.d_select : form.elements == 2 ? 3u : 15u;  // a bit an element
  u32 merged = c, sum = c;
  for (unsigned e = 0; e < form.elements; ++e) {
    if (!(written >> e & 1u)) continue;
    const auto part = [&](u32 select, bool is_signed) {
      return extended(static_cast<u32>(both >> (bits * (select >> 4 * e & 15u))), bits, is_signed);
    };
    s64 value = video_compute(form, part(a_select, form.a_signed), part(b_select, form.b_signed));
    if (form.sat) value = clamped(value, bits, form.d_signed);
    const u32 field = ((u32{1} << bits) - 1u) << (bits * e);
    merged = (merged & ~field) | (static_cast<u32>(value) << (bits * e) & field);
    sum += static_cast<u32>(value);
  }
  return form.add ? sum : merged;
}

WARPBOOK_OPS_END
