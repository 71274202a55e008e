// Longer than other files: each operation has its AVX-512 and its AVX2 form side by side.
#ifdef __x86_64__

#  include "gpu/virtual/vm/native/vectors.h"

#  include <bit>
#  include <utility>

#  include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

using asmjit::Label;
using x86::Gp;
using x86::KReg;
using x86::Mem;
using x86::Vec;

namespace {

constexpr std::uint32_t nan32 = 0x7fffffffu;
constexpr std::uint64_t nan64 = 0xfff8000000000000ull;  // both: ops/base.h
constexpr unsigned unordered = 3, not_less = 29;        // of vcmpps: one at least is a NaN; GE_OQ

template <class T>
std::array<T, 32 / sizeof(T)> everywhere(T value) {
  std::array<T, 32 / sizeof(T)> all;
  all.fill(value);
  return all;
}

}  // namespace

bool NativeVectors::have(InstructionSet set, const Form& form, const ptx::Instruction& p) {
  if (set == InstructionSet::avx512) return true;
  return form.kind != Form::Kind::convert || ptx::is_float(p.type2) || !ptx::is_float(p.type) || ptx::bytes_of(p.type2) != 8;
}

void NativeVectors::prepare(asmjit::FuncFrame& frame) const {
  wide_ ? frame.setAvx512Enabled() : frame.setAvxEnabled();
  frame.setAvxCleanup();
}

// ---- registers, rows and constants ----------------------------------------------------------------------------------

Vec NativeVectors::fresh() { return wide_ ? Vec(cc.newZmm()) : Vec(cc.newYmm()); }
Vec NativeVectors::fresh_half() { return wide_ ? Vec(cc.newYmm()) : Vec(cc.newXmm()); }
Mem NativeVectors::at(const Gp& base, std::uint32_t offset) const { return x86::ptr(base, static_cast<int>(offset), bytes()); }
asmjit::Error NativeVectors::move(const Vec& to, const Vec& from) { return wide_ ? cc.vmovdqa64(to, from) : cc.vmovdqa(to, from); }
asmjit::Error NativeVectors::load(const Vec& to, const Mem& from) { return wide_ ? cc.vmovdqu64(to, from) : cc.vmovdqu(to, from); }
asmjit::Error NativeVectors::store(const Mem& to, const Vec& from) { return wide_ ? cc.vmovdqu64(to, from) : cc.vmovdqu(to, from); }
Mem NativeVectors::constant(std::uint32_t bits) {
  if (!wide_) return constant_vector(everywhere(bits));
  return cc.newUInt32Const(asmjit::ConstPoolScope::kGlobal, bits)._1to16();
}
Mem NativeVectors::constant64(std::uint64_t bits) {
  if (!wide_) return constant_vector(everywhere(bits));
  return cc.newUInt64Const(asmjit::ConstPoolScope::kGlobal, bits)._1to8();
}
asmjit::Error NativeVectors::upper_half(const Vec& half, const Vec& of) {
  return wide_ ? cc.vextracti64x4(half, of, 1) : cc.vextracti128(half, of, 1);
}
asmjit::Error NativeVectors::set_upper_half(const Vec& d, const Vec& half) {
  return wide_ ? cc.vinserti64x4(d, d, half, 1) : cc.vinserti128(d, d, half, 1);
}

/// By way of a vector that is never spilled: of one that is the compiler would make an instruction with memory, which is another
/// one (from memory to a vector).
void NativeVectors::low_to(const Gp& to, const Vec& from) {
  const x86::Xmm low = cc.newXmm();
  cc.vmovaps(low, from.xmm());
  to.size() == 8 ? cc.vmovq(to, low) : cc.vmovd(to, low);
}

// ---- integers -------------------------------------------------------------------------------------------------------

/// Bit 2b+c of the table. No vector where all lanes get zeros, or ones.
Vec NativeVectors::two_input(const Vec& b, const Vec& c, unsigned table, bool& ones, bool& zeros) {
  // For each value of b what c becomes: nothing, its opposite, itself, ones. Then without b ^ (b & (what it changes)).
  const auto one_input = [&](unsigned of_c) {
    if (of_c == 2) return c;
    const Vec opposite = fresh();
    xor_(opposite, c, constant(~0u));
    return opposite;
  };
  const unsigned without = table & 3, changed = without ^ (table >> 2 & 3);
  ones = table == 15, zeros = table == 0;
  if (ones || zeros) return {};
  if (changed == 0) return one_input(without);
  Vec with = b;
  if (changed != 3) {
    with = fresh();
    and_(with, b, one_input(changed));
  }
  if (without == 0) return with;
  const Vec d = fresh();
  without == 3 ? xor_(d, with, constant(~0u)) : xor_(d, with, one_input(without));
  return d;
}

void NativeVectors::lop3(const Vec& d, const Vec& a, const Vec& b, const Vec& c, unsigned table) {
  if (wide_) {
    cc.vmovdqa64(d, a);
    cc.vpternlogd(d, b, c, static_cast<std::uint8_t>(table));
    return;
  }
  bool ones = false, zeros = false, all_change = false, none_changes = false;
  const Vec without = two_input(b, c, table & 15, ones, zeros);
  const Vec changed = two_input(b, c, (table ^ table >> 4) & 15, all_change, none_changes);
  if (none_changes && (ones || zeros)) {
    cc.vpxor(d, d, d);
    if (ones) cc.vpcmpeqd(d, d, d);
    return;
  }
  if (none_changes) {
    move(d, without);
    return;
  }
  all_change ? move(d, a) : cc.vpand(d, a, changed);
  if (ones) cc.vpxor(d, d, constant(~0u));
  if (!ones && !zeros) cc.vpxor(d, d, without);
}

void NativeVectors::mul(const Vec& d, const Vec& a, const Vec& b, unsigned bytes) {
  if (bytes == 4) {
    cc.vpmulld(d, a, b);
  } else if (wide_) {
    cc.vpmullq(d, a, b);
  } else {  // high halves times low ones, both ways, above the low ones' product
    const Vec high = fresh(), other = fresh();
    cc.vpsrlq(high, a, 32);
    cc.vpmuludq(high, high, b);
    cc.vpsrlq(other, b, 32);
    cc.vpmuludq(other, other, a);
    cc.vpaddq(high, high, other);
    cc.vpsllq(high, high, 32);
    cc.vpmuludq(d, a, b);
    cc.vpaddq(d, d, high);
  }
}

void NativeVectors::order(const Vec& d, const Vec& a, const Vec& b, unsigned bytes, bool is_signed, bool max) {
  if (bytes == 4) {
    if (is_signed)
      max ? cc.vpmaxsd(d, a, b) : cc.vpminsd(d, a, b);
    else
      max ? cc.vpmaxud(d, a, b) : cc.vpminud(d, a, b);
  } else if (wide_) {
    if (is_signed)
      max ? cc.vpmaxsq(d, a, b) : cc.vpminsq(d, a, b);
    else
      max ? cc.vpmaxuq(d, a, b) : cc.vpminuq(d, a, b);
  } else {
    const Mask greater = compare(a, b, {.how = 6, .is_signed = is_signed, .inverted = false, .swapped = false, .bytes = 8});
    max ? cc.vblendvpd(d, b, a, greater.lanes) : cc.vblendvpd(d, a, b, greater.lanes);
  }
}

void NativeVectors::shift_right_signed(const Vec& d, const Vec& a, unsigned by, unsigned bytes) {
  if (bytes == 4) {
    cc.vpsrad(d, a, by);
  } else if (wide_) {
    cc.vpsraq(d, a, by);
  } else {  // the opposite of what is negative has zeros where the sign would come in
    const Vec sign = fresh();
    cc.vpxor(sign, sign, sign);
    cc.vpcmpgtq(sign, sign, a);
    cc.vpxor(d, a, sign);
    cc.vpsrlq(d, d, by);
    cc.vpxor(d, d, sign);
  }
}
void NativeVectors::shift_right_signed(const Vec& d, const Vec& a, const Vec& by, unsigned bytes) {
  if (bytes == 4) {
    cc.vpsravd(d, a, by);
  } else if (wide_) {
    cc.vpsravq(d, a, by);
  } else {
    const Vec sign = fresh();
    cc.vpxor(sign, sign, sign);
    cc.vpcmpgtq(sign, sign, a);
    cc.vpxor(d, a, sign);
    cc.vpsrlvq(d, d, by);
    cc.vpxor(d, d, sign);
  }
}

void NativeVectors::abs(const Vec& d, const Vec& a, unsigned bytes) {
  if (bytes == 4) {
    cc.vpabsd(d, a);
  } else if (wide_) {
    cc.vpabsq(d, a);
  } else {
    const Vec sign = fresh();
    cc.vpxor(sign, sign, sign);
    cc.vpcmpgtq(sign, sign, a);
    cc.vpxor(d, a, sign);
    cc.vpsubq(d, d, sign);
  }
}

void NativeVectors::narrow(const Vec& d, const Vec& low, const Vec& high) {
  if (wide_) {
    cc.vpmovqd(d.ymm(), low);
    const x86::Ymm half = cc.newYmm();
    cc.vpmovqd(half, high);
    cc.vinserti64x4(d, d, half, 1);
  } else {
    cc.vshufps(d, low, high, 0x88);
    cc.vpermq(d, d, 0xd8);
  }
}

// ---- reals ----------------------------------------------------------------------------------------------------------

/// One NaN gives the other operand; −0 < +0 (ops/float.h).
void NativeVectors::order_reals(const Vec& d, const Vec& a, const Vec& b, unsigned bytes, bool max) {
  if (wide_) {
    // vrange takes the zeros as PTX does, and the number of a number and a quiet NaN; a NaN that signals is put right.
    const unsigned control = max ? 0b0101 : 0b0100;  // sign of the result, larger or smaller
    bytes == 4 ? cc.vrangeps(d, a, b, control) : cc.vrangepd(d, a, b, control);
  } else {
    // Of two zeros, as of NaNs, the second is taken: so both ways, and together a sign or none.
    const Vec other = fresh();
    if (bytes == 4) {
      max ? cc.vmaxps(d, a, b) : cc.vminps(d, a, b);
      max ? cc.vmaxps(other, b, a) : cc.vminps(other, b, a);
    } else {
      max ? cc.vmaxpd(d, a, b) : cc.vminpd(d, a, b);
      max ? cc.vmaxpd(other, b, a) : cc.vminpd(other, b, a);
    }
    max ? cc.vpand(d, d, other) : cc.vpor(d, d, other);
  }
  blend(d, b, compare_reals(a, a, unordered, bytes), bytes);
  blend(d, a, compare_reals(b, b, unordered, bytes), bytes);
}

void NativeVectors::round(const Vec& d, const Vec& a, unsigned mode, unsigned bytes) {
  if (wide_)
    bytes == 4 ? cc.vrndscaleps(d, a, mode) : cc.vrndscalepd(d, a, mode);
  else
    bytes == 4 ? cc.vroundps(d, a, mode) : cc.vroundpd(d, a, mode);
}

void NativeVectors::u32_to_f32(const Vec& d, const Vec& a) {
  if (wide_) {
    cc.vcvtudq2ps(d, a);
    return;
  }
  const Vec high = fresh();  // two halves, which are exact; one rounding when they come together
  cc.vpsrld(high, a, 16);
  cc.vcvtdq2ps(high, high);
  cc.vpand(d, a, constant(0xffffu));
  cc.vcvtdq2ps(d, d);
  cc.vfmadd231ps(d, high, constant(std::bit_cast<std::uint32_t>(65536.0f)));
}
void NativeVectors::u32_to_f64(const Vec& d, const Vec& half) {
  if (wide_) {
    cc.vcvtudq2pd(d, half);
    return;
  }
  constexpr double large = 4503599627370496.0;  // 2⁵²: its last place is worth 1
  cc.vpmovzxdq(d, half);
  cc.vpor(d, d, constant64(std::bit_cast<std::uint64_t>(large)));
  cc.vsubpd(d, d, constant64(std::bit_cast<std::uint64_t>(large)));
}

void NativeVectors::f32_to_s32(const Vec& d, const Vec& a) {
  const auto large = [&] { return constant(std::bit_cast<std::uint32_t>(2147483648.0f)); };
  cc.vcvttps2dq(d, a);  // 0x80000000 for what does not fit
  if (wide_) {
    const KReg mask = cc.newKw();
    cc.vcmpps(mask, a, large(), not_less);
    cc.k(mask).vpblendmd(d, d, constant(0x7fffffffu));
    cc.vcmpps(mask, a, a, 7);  // ordered
    cc.k(mask).z().vmovdqa32(d, d);
  } else {
    const Vec mask = fresh();
    cc.vcmpps(mask, a, large(), not_less);
    cc.vpxor(d, d, mask);  // 0x7fffffff
    cc.vcmpps(mask, a, a, 7);
    cc.vpand(d, d, mask);
  }
}
void NativeVectors::f32_to_u32(const Vec& d, const Vec& a) {
  if (wide_) {
    const KReg mask = cc.newKw();
    cc.vcvttps2udq(d, a);  // all ones for what does not fit
    cc.vcmpps(mask, a, constant(0), not_less);
    cc.k(mask).z().vmovdqa32(d, d);
    return;
  }
  const Vec from = fresh(), large = fresh(), taken = fresh();
  cc.vpxor(from, from, from);
  cc.vmaxps(from, a, from);  // NaN gives the second operand
  cc.vcmpps(large, from, constant(std::bit_cast<std::uint32_t>(2147483648.0f)), not_less);
  cc.vpand(taken, large, constant(std::bit_cast<std::uint32_t>(2147483648.0f)));
  cc.vsubps(taken, from, taken);
  cc.vcvttps2dq(d, taken);
  cc.vpand(large, large, constant(0x80000000u));
  cc.vpxor(d, d, large);
  cc.vcmpps(large, from, constant(std::bit_cast<std::uint32_t>(4294967296.0f)), not_less);
  cc.vpor(d, d, large);
}
void NativeVectors::f64_to_s32(const Vec& half, const Vec& a) {
  const auto large = [&] { return constant64(std::bit_cast<std::uint64_t>(2147483648.0)); };
  cc.vcvttpd2dq(half, a);
  if (wide_) {
    const KReg high = cc.newKw();
    cc.vcmppd(high, a, large(), not_less);
    const x86::Ymm most = cc.newYmm();
    cc.vpbroadcastd(most, cc.newUInt32Const(asmjit::ConstPoolScope::kGlobal, 0x7fffffffu));
    cc.k(high).vmovdqa32(half, most);
  } else {
    const Vec high = fresh(), upper = fresh_half();
    cc.vcmppd(high, a, large(), not_less);
    cc.vextracti128(upper, high, 1);
    cc.vshufps(upper, high.xmm(), upper, 0x88);
    cc.vpxor(half, half, upper);
  }
}

// ---- masks ----------------------------------------------------------------------------------------------------------

NativeVectors::Spread NativeVectors::spread(const Gp& bits) {
  if (wide_) return {bits, {}};
  const Vec all = fresh();
  cc.vmovd(all.xmm(), bits);
  cc.vpbroadcastd(all, all.xmm());
  return {bits, all};
}

NativeVectors::Mask NativeVectors::mask(const Spread& spread, unsigned bytes, unsigned part) {
  Mask mask;
  if (wide_) {
    mask.bits = cc.newKd();
    if (part == 0) {
      cc.kmovd(mask.bits, spread.bits);
    } else {
      const Gp moved = cc.newGpd();
      cc.mov(moved, spread.bits);
      cc.shr(moved, part * (64 / bytes));
      cc.kmovd(mask.bits, moved);
    }
    return mask;
  }
  std::array<std::uint32_t, 8> bit_of;
  for (unsigned l = 0; l < 8; ++l) bit_of[l] = 1u << (bytes == 4 ? 8 * part + l : 4 * part + l / 2);
  const Mem bit = constant_vector(bit_of);
  mask.lanes = fresh();
  cc.vpand(mask.lanes, spread.everywhere, bit);
  cc.vpcmpeqd(mask.lanes, mask.lanes, bit);
  return mask;
}

void NativeVectors::blend(const Vec& d, const Vec& from, const Mask& where, unsigned bytes) {
  if (!wide_)
    cc.vblendvps(d, d, from, where.lanes);
  else if (bytes == 4)
    cc.k(where.bits).vmovdqa32(d, from);
  else
    cc.k(where.bits).vmovdqa64(d, from);
}

void NativeVectors::load_some(const Vec& d, const Mem& from, const Mask& where, unsigned bytes) {
  if (wide_) {
    bytes == 4 ? cc.k(where.bits).vmovdqu32(d, from) : cc.k(where.bits).vmovdqu64(d, from);
    return;
  }
  const Vec loaded = fresh();
  bytes == 4 ? cc.vpmaskmovd(loaded, where.lanes, from) : cc.vpmaskmovq(loaded, where.lanes, from);
  blend(d, loaded, where, bytes);
}
/// AVX2's masked stores are slow on some hosts.
void NativeVectors::store_some_of_own(const Mem& to, const Vec& from, const Mask& where, unsigned bytes) {
  if (wide_) {
    bytes == 4 ? cc.k(where.bits).vmovdqu32(to, from) : cc.k(where.bits).vmovdqu64(to, from);
    return;
  }
  const Vec whole = fresh();
  load(whole, to);
  blend(whole, from, where, bytes);
  store(to, whole);
}

NativeVectors::Mask NativeVectors::compare_reals(const Vec& a, const Vec& b, unsigned how, unsigned bytes) {
  Mask mask;
  if (wide_) {
    mask.bits = cc.newKd();
    bytes == 8 ? cc.vcmppd(mask.bits, a, b, how) : cc.vcmpps(mask.bits, a, b, how);
  } else {
    mask.lanes = fresh();
    bytes == 8 ? cc.vcmppd(mask.lanes, a, b, how) : cc.vcmpps(mask.lanes, a, b, how);
  }
  return mask;
}

NativeVectors::Comparison NativeVectors::comparison(unsigned how, bool is_signed, unsigned bytes) const {
  if (wide_) return {.how = how, .is_signed = is_signed, .inverted = false, .swapped = false, .bytes = bytes};
  Comparison c{.how = 0, .is_signed = is_signed, .inverted = how == 4, .swapped = false, .bytes = bytes};
  if (how == 0 || how == 4) return c;
  c.swapped = how == 1 || how == 5;  // of those below > and ≤ are left
  const bool less = how == 2 || how == 5;
  c.how = !is_signed && bytes == 4 ? 2 : 6;
  c.inverted = less != (c.how == 2);
  return c;
}

NativeVectors::Mask NativeVectors::compare(const Vec& a, const Vec& b, const Comparison& how) {
  Mask mask;
  const bool wide_lanes = how.bytes == 8;
  if (wide_) {
    mask.bits = cc.newKd();
    if (how.is_signed)
      wide_lanes ? cc.vpcmpq(mask.bits, a, b, how.how) : cc.vpcmpd(mask.bits, a, b, how.how);
    else
      wide_lanes ? cc.vpcmpuq(mask.bits, a, b, how.how) : cc.vpcmpud(mask.bits, a, b, how.how);
    return mask;
  }
  const Vec &x = how.swapped ? b : a, &y = how.swapped ? a : b, d = mask.lanes = fresh();
  if (how.how == 0) {
    wide_lanes ? cc.vpcmpeqq(d, x, y) : cc.vpcmpeqd(d, x, y);
  } else if (how.how == 2) {
    cc.vpminud(d, x, y);
    cc.vpcmpeqd(d, d, x);
  } else if (!wide_lanes) {
    cc.vpcmpgtd(d, x, y);
  } else if (how.is_signed) {
    cc.vpcmpgtq(d, x, y);
  } else {
    const Vec other = fresh();
    cc.vpxor(d, x, constant64(1ull << 63));
    cc.vpxor(other, y, constant64(1ull << 63));
    cc.vpcmpgtq(d, d, other);
  }
  return mask;
}

Gp NativeVectors::bits_of(Masks& masks, unsigned bytes, bool all_alike) {
  const Gp bits = cc.newGpd();
  unsigned count = parts(bytes);
  if (wide_) {
    if (count == 4)
      for (unsigned n = 0; n < 2; ++n) {
        const KReg both = cc.newKd();
        cc.kunpckbw(both, masks[2 * n + 1].bits, masks[2 * n].bits);
        masks[n].bits = both;
      }
    const KReg all = cc.newKd();
    cc.kunpckwd(all, masks[1].bits, masks[0].bits);
    cc.kmovd(bits, all);
    return bits;
  }
  if (all_alike) {
    low_to(bits, masks[0].lanes);
    return bits;
  }
  if (count == 8)
    for (unsigned n = 0; n < 4; ++n) {
      const Vec both = fresh();
      narrow(both, masks[2 * n].lanes, masks[2 * n + 1].lanes);
      masks[n].lanes = both;
    }
  const Vec low = fresh(), high = fresh(), in_order = fresh();
  cc.vpackssdw(low, masks[0].lanes, masks[1].lanes);
  cc.vpackssdw(high, masks[2].lanes, masks[3].lanes);
  cc.vpacksswb(low, low, high);
  cc.vmovdqu(in_order, constant_vector(std::array<std::uint32_t, 8>{0, 4, 1, 5, 2, 6, 3, 7}));
  cc.vpermd(low, in_order, low);
  cc.vpmovmskb(bits, low);
  return bits;
}

// ---- NaNs -----------------------------------------------------------------------------------------------------------

Vec NativeVectors::canonical_nan(unsigned bytes) {
  const Vec nan = fresh();
  load(nan, bytes == 4 ? constant(nan32) : constant64(nan64));
  return nan;
}

void NativeVectors::settle(const Vec* parts, unsigned count, unsigned bytes) {
  const Label none = cc.newLabel();
  if (!wide_) {
    // A NaN in one or the other.
    Vec any;
    for (unsigned n = 0; n < count; n += 2) {
      const Vec found = compare_reals(parts[n], parts[count == 1 ? n : n + 1], unordered, bytes).lanes;
      if (n) cc.vpor(any, any, found);
      if (!n) any = found;
    }
    cc.vptest(any, any);
    cc.jz(none);
    const Vec nan = canonical_nan(bytes);
    for (unsigned n = 0; n < count; ++n) blend(parts[n], nan, compare_reals(parts[n], parts[n], unordered, bytes), bytes);
    cc.bind(none);
    return;
  }
  std::array<KReg, 4> found;
  for (unsigned n = 0; n < count; ++n) {
    found[n] = cc.newKw();
    bytes == 4 ? cc.vcmpps(found[n], parts[n], parts[n], unordered) : cc.vcmppd(found[n], parts[n], parts[n], unordered);
  }
  KReg any = found[0];
  for (unsigned n = 1; n + 1 < count; ++n) {
    const KReg both = cc.newKw();
    cc.korw(both, any, found[n]);
    any = both;
  }
  cc.kortestw(any, found[count - 1]);
  cc.jz(none);
  for (unsigned n = 0; n < count; ++n) {
    if (bytes == 4)
      cc.k(found[n]).vpblendmd(parts[n], parts[n], constant(nan32));
    else
      cc.k(found[n]).vpblendmq(parts[n], parts[n], constant64(nan64));
  }
  cc.bind(none);
}

void NativeVectors::settle_always(const Vec& d, const Vec& a, unsigned bytes) {
  const Mask found = compare_reals(a, a, unordered, bytes);
  move(d, a);
  if (!wide_)
    blend(d, canonical_nan(bytes), found, bytes);
  else if (bytes == 4)
    cc.k(found.bits).vpblendmd(d, d, constant(nan32));
  else
    cc.k(found.bits).vpblendmq(d, d, constant64(nan64));
}

}  // namespace warpbook::gpu::vm

#endif
