// Integer and bit instructions of PTX (ISA sections 9.7.1, 9.7.2, 9.7.8 and 9.7.9's prmt), one small function each.
//
//     for (int l = 0; l < 32; ++l) d[l] = ops::add(a[l], b[l]);
//
// T is u16 … u64 or s16 … s64 (and 8 bits where a caller finds it useful). Everything wraps: signed overflow is done in
// unsigned arithmetic, no operand traps the host. Where the ISA leaves a result open it is named at the function.
#pragma once

#include "gpu/virtual/ptx/module.h"
#include "gpu/virtual/vm/ops/base.h"

WARPBOOK_OPS_BEGIN

// ---- add, subtract, multiply ----------------------------------------------------------------------------------------

template <Integer T>
WARPBOOK_OP T add(T a, T b) {
  using U = unsigned_of<T>;
  return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
}
template <Integer T>
WARPBOOK_OP T sub(T a, T b) {
  using U = unsigned_of<T>;
  return static_cast<T>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
}
/// mul.wide: 16 × 16 → 32, 32 × 32 → 64. Also the whole product of 64-bit factors.
template <Integer T>
WARPBOOK_OP wide_of<T> mul_wide(T a, T b) {
  return static_cast<wide_of<T>>(static_cast<wide_of<T>>(a) * static_cast<wide_of<T>>(b));
}
template <Integer T>
WARPBOOK_OP T mul_lo(T a, T b) {
  // In at least 32 unsigned bits: u16 × u16 would be promoted to a signed product that overflows.
  if constexpr (sizeof(T) < 4) {
    return static_cast<T>(static_cast<u32>(a) * static_cast<u32>(b));
  } else {
    using U = unsigned_of<T>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  }
}
template <Integer T>
WARPBOOK_OP T mul_hi(T a, T b) {
  return static_cast<T>(mul_wide(a, b) >> width_of<T>);
}
template <Integer T>
WARPBOOK_OP T mad_lo(T a, T b, T c) {
  return add(mul_lo(a, b), c);
}
template <Integer T>
WARPBOOK_OP T mad_hi(T a, T b, T c) {
  return add(mul_hi(a, b), c);
}
template <Integer T>
WARPBOOK_OP wide_of<T> mad_wide(T a, T b, wide_of<T> c) {
  return add(mul_wide(a, b), c);
}

/// min(max(wide, MIN), MAX) of a value computed one size up.
WARPBOOK_OP s32 clamp_s32(s64 a) {
  a = a < -0x80000000ll ? -0x80000000ll : a;
  return static_cast<s32>(a > 0x7fffffffll ? 0x7fffffffll : a);
}
WARPBOOK_OP s32 add_sat(s32 a, s32 b) { return clamp_s32(s64{a} + b); }
WARPBOOK_OP s32 sub_sat(s32 a, s32 b) { return clamp_s32(s64{a} - b); }
/// mad.hi.sat.s32
WARPBOOK_OP s32 mad_hi_sat(s32 a, s32 b, s32 c) { return add_sat(mul_hi(a, b), c); }

/// The low 24 bits of each factor, sign-extended for s32; T is u32 or s32.
template <Integer T>
WARPBOOK_OP wide_of<T> product24(T a, T b) {
  const T x = static_cast<T>(static_cast<T>(static_cast<u32>(a) << 8) >> 8),
          y = static_cast<T>(static_cast<T>(static_cast<u32>(b) << 8) >> 8);
  return mul_wide(x, y);
}
/// mul24.lo: bits 31…0 of the 48-bit product; mul24.hi: bits 47…16.
template <Integer T>
WARPBOOK_OP T mul24_lo(T a, T b) {
  return static_cast<T>(product24(a, b));
}
template <Integer T>
WARPBOOK_OP T mul24_hi(T a, T b) {
  return static_cast<T>(product24(a, b) >> 16);
}
template <Integer T>
WARPBOOK_OP T mad24_lo(T a, T b, T c) {
  return add(mul24_lo(a, b), c);
}
template <Integer T>
WARPBOOK_OP T mad24_hi(T a, T b, T c) {
  return add(mul24_hi(a, b), c);
}
WARPBOOK_OP s32 mad24_hi_sat(s32 a, s32 b, s32 c) { return add_sat(mul24_hi(a, b), c); }

// ---- extended precision: the condition code's carry -----------------------------------------------------------------

template <class T>
struct WithCarry {
  T value;
  bool carry;  // add: carry out; sub: borrow out
};
/// add.cc (carry = false) and addc{.cc}.
template <Integer T>
WARPBOOK_OP WithCarry<T> add_carry(T a, T b, bool carry = false) {
  using U = unsigned_of<T>;
  const U x = static_cast<U>(a), y = static_cast<U>(b);
  const U first = static_cast<U>(x + y), sum = static_cast<U>(first + carry);
  return {static_cast<T>(sum), ((first < x) | (sum < first)) != 0};
}
/// sub.cc (borrow = false) and subc{.cc}: a − (b + borrow).
template <Integer T>
WARPBOOK_OP WithCarry<T> sub_borrow(T a, T b, bool borrow = false) {
  using U = unsigned_of<T>;
  const U x = static_cast<U>(a), y = static_cast<U>(b);
  const U first = static_cast<U>(x - y), difference = static_cast<U>(first - borrow);
  return {static_cast<T>(difference), ((x < y) | (first < static_cast<U>(borrow))) != 0};
}
/// mad.{lo,hi}.cc (carry = false) and madc.{lo,hi}{.cc}: the carry is that of the final addition.
template <Integer T>
WARPBOOK_OP WithCarry<T> mad_lo_carry(T a, T b, T c, bool carry = false) {
  return add_carry(mul_lo(a, b), c, carry);
}
template <Integer T>
WARPBOOK_OP WithCarry<T> mad_hi_carry(T a, T b, T c, bool carry = false) {
  return add_carry(mul_hi(a, b), c, carry);
}

// ---- divide ---------------------------------------------------------------------------------------------------------

// Division by zero is unspecified in PTX. As the instruction sequences for NVIDIA hardware do it: the quotient has all bits
// set, and so has the remainder (seen on an H200). MIN / −1 wraps to MIN with remainder 0.
template <Integer T>
WARPBOOK_OP T div(T a, T b) {
  // Up to 32 bits the quotient of doubles, cut off, is exact: a quotient that is no integer lies at least 1/b from the next,
  // which is 1/a ≥ 2^−32 of its size and far more than the rounding error 2^−53. Vectorises, and is faster than idiv.
  if constexpr (sizeof(T) <= 4) {
    const bool special = is_signed_v<T> ? b == static_cast<T>(-1) : b == 1;  // the only quotients that may not fit in s32
    const double divisor = static_cast<double>(special | (b == 0) ? T{2} : b);
    const T quotient = static_cast<T>(static_cast<s32>(static_cast<double>(a) / divisor));
    const T d = special ? (is_signed_v<T> ? sub(T{0}, a) : a) : quotient;
    return b == 0 ? static_cast<T>(-1) : d;
  } else {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (is_signed_v<T>) {
      if (b == -1) return sub(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
}
template <Integer T>
WARPBOOK_OP T rem(T a, T b) {
  return b == 0 ? static_cast<T>(-1) : sub(a, mul_lo(div(a, b), b));
}

// ---- sign, order ----------------------------------------------------------------------------------------------------

template <Integer T>
WARPBOOK_OP T neg(T a) {
  return sub(T{0}, a);
}
/// |MIN| is MIN.
template <Integer T>
WARPBOOK_OP T abs(T a) {
  return a < 0 ? neg(a) : a;
}
template <Integer T>
WARPBOOK_OP T min(T a, T b) {
  return a < b ? a : b;
}
template <Integer T>
WARPBOOK_OP T max(T a, T b) {
  return a > b ? a : b;
}
/// min/max.relu.s32, and .s16x2: never below zero.
template <Integer T>
WARPBOOK_OP T relu(T a) {
  return a < 0 ? T{0} : a;
}
/// c + |a − b|
template <Integer T>
WARPBOOK_OP T sad(T a, T b, T c) {
  return add(c, a < b ? sub(b, a) : sub(a, b));
}

/// One operation on both 16-bit halves: packed<s16>(a, b, min<s16>) is min.s16x2.
template <Integer T, class Op>
WARPBOOK_OP u32 packed(u32 a, u32 b, Op op) {
  static_assert(sizeof(T) == 2);
  const u16 low = static_cast<u16>(op(static_cast<T>(static_cast<u16>(a)), static_cast<T>(static_cast<u16>(b))));
  const u16 high = static_cast<u16>(op(static_cast<T>(static_cast<u16>(a >> 16)), static_cast<T>(static_cast<u16>(b >> 16))));
  return low | static_cast<u32>(high) << 16;
}

// ---- logic and shifts -----------------------------------------------------------------------------------------------

template <Integer T>
WARPBOOK_OP T and_(T a, T b) {
  return static_cast<T>(a & b);
}
template <Integer T>
WARPBOOK_OP T or_(T a, T b) {
  return static_cast<T>(a | b);
}
template <Integer T>
WARPBOOK_OP T xor_(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <Integer T>
WARPBOOK_OP T not_(T a) {
  return static_cast<T>(~a);
}
/// Logical negation as C knows it: 1 for zero, else 0.
template <Integer T>
WARPBOOK_OP T cnot(T a) {
  return static_cast<T>(a == 0);
}
/// The shift amount is always u32; at the width and beyond everything has gone.
template <Integer T>
WARPBOOK_OP T shl(T a, u32 amount) {
  using U = unsigned_of<T>;
  constexpr u32 top = width_of<T> - 1;
  const U shifted = static_cast<U>(static_cast<U>(a) << (amount & top));
  return static_cast<T>(amount > top ? U{0} : shifted);
}
/// Signed types fill with the sign.
template <Integer T>
WARPBOOK_OP T shr(T a, u32 amount) {
  constexpr u32 top = width_of<T> - 1;
  if constexpr (is_signed_v<T>) {
    return static_cast<T>(a >> (amount > top ? top : amount));
  } else {
    const T shifted = static_cast<T>(a >> (amount & top));
    return amount > top ? T{0} : shifted;
  }
}
/// shf: the funnel {b, a} with a low. `wrap` takes the amount modulo 32, `clamp` stops at 32.
WARPBOOK_OP u32 shf_l_wrap(u32 a, u32 b, u32 amount) {
  return static_cast<u32>(((static_cast<u64>(b) << 32 | a) << (amount & 31)) >> 32);
}
WARPBOOK_OP u32 shf_r_wrap(u32 a, u32 b, u32 amount) { return static_cast<u32>((static_cast<u64>(b) << 32 | a) >> (amount & 31)); }
WARPBOOK_OP u32 shf_l_clamp(u32 a, u32 b, u32 amount) { return amount > 31 ? a : shf_l_wrap(a, b, amount); }
WARPBOOK_OP u32 shf_r_clamp(u32 a, u32 b, u32 amount) { return amount > 31 ? b : shf_r_wrap(a, b, amount); }

/// Any function of three bits: bit (a << 2 | b << 1 | c) of `lut`.
WARPBOOK_OP u32 lop3(u32 a, u32 b, u32 c, u32 lut) {
  const auto term = [lut](int i, u32 x) { return (0u - (lut >> i & 1u)) & x; };
  return term(0, ~a & ~b & ~c) | term(1, ~a & ~b & c) | term(2, ~a & b & ~c) | term(3, ~a & b & c) | term(4, a & ~b & ~c) |
         term(5, a & ~b & c) | term(6, a & b & ~c) | term(7, a & b & c);
}

// ---- counting and finding bits --------------------------------------------------------------------------------------

// In shifts and masks where the host has no vector instruction for it, so that loops vectorise everywhere.
WARPBOOK_OP u32 popc(u32 a) {
  a -= a >> 1 & 0x55555555u;
  a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
  a = (a + (a >> 4)) & 0x0f0f0f0fu;
  a += a >> 8;
  return (a + (a >> 16)) & 0x3fu;
}
WARPBOOK_OP u32 popc(u64 a) { return popc(static_cast<u32>(a)) + popc(static_cast<u32>(a >> 32)); }
/// 32 or 64 for zero.
WARPBOOK_OP u32 clz(u32 a) { return static_cast<u32>(__builtin_clz(a | 1u)) + (a == 0); }
WARPBOOK_OP u32 clz(u64 a) { return static_cast<u32>(__builtin_clzll(a | 1u)) + (a == 0); }
WARPBOOK_OP u32 brev(u32 a) {
  a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
  a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
  a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
  a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
  return a >> 16 | a << 16;
}
WARPBOOK_OP u64 brev(u64 a) { return static_cast<u64>(brev(static_cast<u32>(a))) << 32 | brev(static_cast<u32>(a >> 32)); }
/// The highest bit that differs from the sign (of unsigned: the highest one); all ones when there is none.
template <Integer T>
WARPBOOK_OP u32 bfind(T a) {
  using U = unsigned_of<T>;
  const U bits = static_cast<U>(a < 0 ? ~a : a);
  return width_of<T> - 1 - clz(bits);  // zero: width − 1 − width, all ones
}
/// bfind.shiftamt: how far left that bit must go to become the top one.
template <Integer T>
WARPBOOK_OP u32 bfind_shiftamt(T a) {
  const u32 found = bfind(a);
  return found == 0xffffffffu ? found : width_of<T> - 1 - found;
}
/// The n-th set bit from `base`, upwards (offset > 0) or downwards; offset 0: is it `base` itself; all ones: none.
inline u32 fns(u32 mask, u32 base, s32 offset) {
  if (base > 31) return 0xffffffffu;
  if (offset == 0) return mask >> base & 1 ? base : 0xffffffffu;
  const s64 step = offset > 0 ? 1 : -1;
  s64 wanted = offset > 0 ? s64{offset} : -s64{offset};
  for (s64 position = base; position >= 0 && position < 32; position += step)
    if ((mask >> position & 1) && --wanted == 0) return static_cast<u32>(position);
  return 0xffffffffu;
}

// ---- bit fields -----------------------------------------------------------------------------------------------------

/// Extract: T is u32, s32, u64 or s64; position and length count modulo 256. Beyond the top comes the field's sign or zero.
template <Integer T>
WARPBOOK_OP T bfe(T a, u32 position, u32 length) {
  constexpr u32 top = width_of<T> - 1;
  position &= 0xff;
  length &= 0xff;
  const T shifted = shr(a, position);  // signed: already filled with the sign
  const u32 unused = length > top ? 0u : top + 1 - length;
  return length == 0 ? T{0} : shr(shl(shifted, unused), unused);
}
/// Insert the low bits of a into b.
template <Integer T>
WARPBOOK_OP T bfi(T a, T b, u32 position, u32 length) {
  using U = unsigned_of<T>;
  position &= 0xff;
  length &= 0xff;
  const U ones = static_cast<U>(shl(U{1}, length) - 1);  // length ≥ width: 0 − 1, all
  const U mask = shl(ones, position);
  return static_cast<T>((static_cast<U>(b) & ~mask) | (shl(static_cast<U>(a), position) & mask));
}
/// `width` ones from `position` on.
WARPBOOK_OP u32 bmsk_wrap(u32 position, u32 width) { return shl(shl(1u, width & 31) - 1, position & 31); }
WARPBOOK_OP u32 bmsk_clamp(u32 position, u32 width) { return shl(shl(1u, width) - 1, position); }
/// Extend from `bits` bits; zero bits give 0. T is u32 or s32.
template <Integer T>
WARPBOOK_OP T szext_clamp(T a, u32 bits) {
  const u32 unused = bits > 31 ? 0u : 32 - bits;
  return shr(shl(a, unused), bits == 0 ? 0u : unused);  // unused 32: shl has cleared it
}
template <Integer T>
WARPBOOK_OP T szext_wrap(T a, u32 bits) {
  return szext_clamp(a, bits & 31);
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

/// Byte (selector & 7) of {b, a}; with bit 3 set, its sign in all eight bits.
WARPBOOK_OP u32 prmt_byte(u64 pool, u32 selector) {
  const u32 byte = static_cast<u32>(pool >> (8 * (selector & 7))) & 0xff;
  return selector & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte;
}
/// prmt without a mode: four selectors of four bits in c.
WARPBOOK_OP u32 prmt(u32 a, u32 b, u32 c) {
  const u64 pool = static_cast<u64>(b) << 32 | a;
  return prmt_byte(pool, c) | prmt_byte(pool, c >> 4) << 8 | prmt_byte(pool, c >> 8) << 16 | prmt_byte(pool, c >> 12) << 24;
}
/// The selectors that a mode stands for, by c's two low bits.
WARPBOOK_OP u32 prmt_selectors(ptx::Prmt mode, u32 c) {
  const u32 n = c & 3;
  switch (mode) {
    case ptx::Prmt::none:
      break;
    case ptx::Prmt::f4e:
      return 0x3210u + 0x1111u * n;  // forward four from n
    case ptx::Prmt::b4e:
      return (0x5670u + 0x1111u * n) & 0x7777u;  // backward four from n
    case ptx::Prmt::rc8:
      return 0x1111u * n;  // one byte four times
    case ptx::Prmt::ecl:
      return n == 0 ? 0x3210u : n == 1 ? 0x3211u : n == 2 ? 0x3222u : 0x3333u;  // clamped from the left
    case ptx::Prmt::ecr:
      return n == 0 ? 0x0000u : n == 1 ? 0x1110u : n == 2 ? 0x2210u : 0x3210u;  // and from the right
    case ptx::Prmt::rc16:
      return n & 1 ? 0x3232u : 0x1010u;  // one half twice
  }
  return c;
}
WARPBOOK_OP u32 prmt(ptx::Prmt mode, u32 a, u32 b, u32 c) { return prmt(a, b, prmt_selectors(mode, c)); }

/// Lane `index` of packed small integers, extended: Lane is u8, s8, u16 or s16.
template <Integer Lane>
WARPBOOK_OP s32 element(u32 packed_value, u32 index) {
  return static_cast<Lane>(packed_value >> (width_of<Lane> * index));
}
/// dp4a.atype.btype: A and B are u8 or s8; the sum wraps.
template <Integer A, Integer B>
WARPBOOK_OP u32 dp4a(u32 a, u32 b, u32 c) {
  for (u32 i = 0; i < 4; ++i) c += static_cast<u32>(element<A>(a, i) * element<B>(b, i));
  return c;
}
/// dp2a.lo/.hi.atype.btype: two 16-bit elements of a with two low (high) bytes of b. A is u16 or s16, B u8 or s8.
template <Integer A, Integer B>
WARPBOOK_OP u32 dp2a_lo(u32 a, u32 b, u32 c) {
  for (u32 i = 0; i < 2; ++i) c += static_cast<u32>(element<A>(a, i) * element<B>(b, i));
  return c;
}
template <Integer A, Integer B>
WARPBOOK_OP u32 dp2a_hi(u32 a, u32 b, u32 c) {
  return dp2a_lo<A, B>(a, b >> 16, c);
}

WARPBOOK_OPS_END
