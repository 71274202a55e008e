// What requests.cpp does with AVX-512, for AVX2: a group of eight lanes is one vector, or two of 64-bit lanes; there are no
// scattered stores.
#ifdef __x86_64__

#  include <bit>

#  include "gpu/virtual/vm/native/stretch.h"

namespace warpbook::gpu::vm {

using asmjit::Label;
using x86::Gp;
using x86::Mem;
using x86::Vec;
using Kind = Form::Kind;

namespace {

/// Lane numbers from the group's `first` on, times so many bytes.
std::array<std::uint64_t, 4> four_steps(unsigned first, unsigned bytes) {
  std::array<std::uint64_t, 4> steps;
  for (unsigned l = 0; l < 4; ++l) steps[l] = std::uint64_t{first + l} * bytes;
  return steps;
}

}  // namespace

/// Wherever they point; leaves before anything has happened.
void NativeStretch::access_scattered_avx2(const Inst& inst, const Form& form, const Value& places, Value& data) {
  Gp low, bytes, host;
  allocation_of(inst, form, low, bytes, host);
  cc.sub(bytes, static_cast<int>(form.bytes));
  cc.jb(leave_);
  const Gp base = cc.newIntPtr();
  cc.mov(base, inst.offset);
  cc.sub(base, low);
  if (inst.scale) cc.add(base, x86::qword_ptr(rows_, static_cast<int>(inst.a.offset)));
  const Vec bases = v.fresh(), most = v.fresh(), bad = v.fresh(), bits = v.fresh();
  cc.vmovq(bases.xmm(), base);
  cc.vpbroadcastq(bases, bases.xmm());
  cc.vmovq(most.xmm(), bytes);
  cc.vpbroadcastq(most, most.xmm());
  const Value wide = inst.scale ? widened(places, inst.index_signed) : places;
  const NativeVectors::Spread lanes_here = full_ ? NativeVectors::Spread{} : v.spread(exec_);
  std::array<Vec, 8> from_low;
  for (unsigned n = 0; n < 8; ++n) {
    const Vec at = from_low[n] = v.fresh(), outside = v.fresh(), low_bits = v.fresh();
    if (inst.scale) {
      cc.vpsllq(at, wide.of(n), std::countr_zero(unsigned{form.bytes}));
      cc.vpaddq(at, at, bases);
    } else {
      cc.vpaddq(at, wide.of(n), bases);
    }
    // Negative, or more than most, which is not negative: the sign of one or the other.
    cc.vpsubq(outside, most, at);
    cc.vpor(outside, outside, at);
    v.move(low_bits, at);
    if (!full_) {
      const Vec here = v.mask(lanes_here, 8, n).lanes;
      cc.vpand(outside, outside, here);
      cc.vpand(low_bits, low_bits, here);
    }
    n ? cc.vpor(bad, bad, outside) : v.move(bad, outside);
    n ? cc.vpor(bits, bits, low_bits) : v.move(bits, low_bits);
  }
  const Gp any = cc.newGpd();
  cc.vmovmskpd(any, bad);
  cc.test(any, any);
  cc.jnz(leave_);
  cc.vptest(bits, v.constant64(form.bytes - 1u));
  cc.jnz(leave_);
  form.kind == Kind::load ? gather(form, host, from_low, data) : scatter(form, host, from_low, data);
}

void NativeStretch::gather(const Form& form, const Gp& host, const std::array<Vec, 8>& from_low, Value& data) {
  const NativeVectors::Spread lanes_here = full_ ? NativeVectors::Spread{} : v.spread(exec_);
  const auto all = [&](const Vec& mask) { cc.vpcmpeqd(mask, mask, mask); };
  for (unsigned n = 0; n < 8; ++n) {
    const Mem at = x86::ptr(host, from_low[n]);
    if (form.bytes == 8) {
      const Vec mask = full_ ? v.fresh() : v.mask(lanes_here, 8, n).lanes;  // it is used up
      if (full_) all(mask);
      if (full_) cc.vpxor(data.part[n], data.part[n], data.part[n]);
      cc.vpgatherqq(data.part[n], at, mask);
      continue;
    }
    const Vec& part = data.part[n / 2];
    const Vec half = v.fresh_half(), mask = v.fresh_half();
    if (full_) {
      cc.vpxor(half, half, half);
      all(mask);
    } else {
      const Vec whole = v.mask(lanes_here, 4, n / 2).lanes;
      n % 2 ? v.upper_half(mask, whole) : cc.vmovdqa(mask, whole.xmm());
      n % 2 ? v.upper_half(half, part) : cc.vmovdqa(half, part.xmm());
    }
    cc.vpgatherqd(half, at, mask);
    if (n % 2)
      v.set_upper_half(part, half);
    else if (full_)
      cc.vmovdqa(part.xmm(), half);
    else
      cc.vinserti128(part, part, half, 0);
  }
}

/// Lane by lane, in their order, by way of the stack.
void NativeStretch::scatter(const Form& form, const Gp& host, const std::array<Vec, 8>& from_low, const Value& data) {
  constexpr unsigned bytes_of_places = 8 * lanes;
  if (!spilled_.hasBase()) spilled_ = cc.newStack(2 * bytes_of_places, 32);
  const auto piece = [&](unsigned at) {
    Mem mem = spilled_.cloneAdjusted(at);
    mem.setSize(v.bytes());
    return mem;
  };
  for (unsigned n = 0; n < 8; ++n) v.store(piece(v.bytes() * n), from_low[n]);
  for (unsigned n = 0; n < data.all_parts; ++n) v.store(piece(bytes_of_places + v.bytes() * n), data.of(n));
  const Gp spilled = cc.newIntPtr(), left = cc.newGpd(), lane = cc.newIntPtr(), at = cc.newIntPtr(), value = cc.newIntPtr();
  const Label again = cc.newLabel();
  cc.lea(spilled, spilled_);
  full_ ? cc.mov(left, -1) : cc.mov(left, exec_);
  cc.bind(again);
  cc.tzcnt(lane.r32(), left);
  cc.mov(at, x86::qword_ptr(spilled, lane, 3));
  if (form.bytes == 4) {
    cc.mov(value.r32(), x86::dword_ptr(spilled, lane, 2, bytes_of_places));
    cc.mov(x86::dword_ptr(host, at), value.r32());
  } else {
    cc.mov(value, x86::qword_ptr(spilled, lane, 3, bytes_of_places));
    cc.mov(x86::qword_ptr(host, at), value);
  }
  cc.blsr(left, left);
  cc.jnz(again);
}

std::array<Gp, 4> NativeStretch::indexed_groups_avx2(const Inst& inst, const Form& form, const Value& index, const Gp& base,
                                                     const Gp& bytes) {
  const Vec stray = v.fresh();
  for (unsigned g = 0; g < native_groups; ++g) {
    const Vec from_first = g ? v.fresh() : stray;
    cc.vpbroadcastd(from_first, index.of(g).xmm());
    cc.vpsubd(from_first, index.of(g), from_first);
    cc.vpxor(from_first, from_first, v.constant_vector(std::array<std::uint32_t, native_group>{0, 1, 2, 3, 4, 5, 6, 7}));
    if (g) cc.vpor(stray, stray, from_first);
  }
  cc.vptest(stray, stray);
  cc.jnz(scattered_);
  std::array<Gp, 4> at;
  for (unsigned g = 0; g < native_groups; ++g) {
    const Gp one = at[g] = cc.newIntPtr();
    v.low_to(one.r32(), index.of(g));
    // No lane's index wraps round.
    cc.cmp(one.r32(), static_cast<int>(inst.index_signed ? 0x7fffffffu - (native_group - 1) : 0xffffffffu - (native_group - 1)));
    inst.index_signed ? cc.jg(scattered_) : cc.ja(scattered_);
    if (inst.index_signed) cc.movsxd(one, one.r32());
    cc.lea(one, x86::ptr(base, one, static_cast<std::uint32_t>(std::countr_zero(unsigned{form.bytes}))));
    cc.cmp(one, bytes);
    cc.ja(scattered_);
  }
  return at;
}

void NativeStretch::access_groups_avx2(const Inst& inst, const Form& form, const Value& address, const Gp& low, const Gp& bytes,
                                       const Gp& host, Value& data) {
  std::array<Gp, 4> at;
  std::array<Mem, 4> place;
  const Gp all = cc.newIntPtr();
  const Vec first = v.fresh(), differs = v.fresh(), from_first = v.fresh();
  const auto differences = [&](bool one_place) {  // from a group at consecutive places, or at one
    cc.vpxor(differs, differs, differs);
    for (unsigned g = 0; g < native_groups; ++g) {
      cc.vpbroadcastq(first, address.of(2 * g).xmm());
      for (unsigned n = 0; n < 2; ++n) {
        cc.vpsubq(from_first, address.of(2 * g + n), first);
        if (!one_place) cc.vpxor(from_first, from_first, v.constant_vector(four_steps(4 * n, form.bytes)));
        cc.vpor(differs, differs, from_first);
      }
    }
    cc.vptest(differs, differs);
  };
  for (unsigned g = 0; g < native_groups; ++g) {
    at[g] = cc.newIntPtr();
    v.low_to(at[g], address.of(2 * g));
    cc.sub(at[g], low);
    g ? cc.or_(all, at[g]) : cc.mov(all, at[g]);
    place[g] = x86::ptr(host, at[g]);
  }
  cc.test(all.r8Lo(), static_cast<int>(form.bytes - 1));
  cc.jnz(leave_);
  differences(false);
  copy_or_spread(inst, form, {at, place, bytes, host}, data, [&] { differences(true); });
}

}  // namespace warpbook::gpu::vm

#endif
