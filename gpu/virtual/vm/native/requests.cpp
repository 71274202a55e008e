// Loads and stores of native code: groups of eight lanes that are consecutive or equal, as in lanes/handlers_memory.h; other
// requests are gathered and scattered, or done lane by lane where few lanes execute. A request that leaves its allocation is left
// to the interpreter.
//
// Longer than other files: each way to memory begins with the same checks and ends in the same exits, which are kept together.
#ifdef __x86_64__

#  include <bit>
#  include <cstddef>

#  include "gpu/virtual/vm/exec/block.h"
#  include "gpu/virtual/vm/exec/warp.h"
#  include "gpu/virtual/vm/memory/memory.h"
#  include "gpu/virtual/vm/native/stretch.h"

namespace warpbook::gpu::vm {

using asmjit::Label;
using x86::Gp;
using x86::KReg;
using x86::Mem;
using x86::Vec;
using x86::Zmm;
using Kind = Form::Kind;

namespace {

constexpr unsigned group = native_group, groups = native_groups;
constexpr unsigned not_equal = 4, greater = 6;  // of vpcmp
constexpr int prefetched = 256;                 // bytes ahead: handlers_places.h

Mem part_of(const Gp& base, std::size_t member) { return x86::qword_ptr(base, static_cast<int>(member)); }

/// Lane numbers times so many bytes, from the lane `first` on.
std::array<std::uint64_t, group> steps_of(unsigned bytes, unsigned first = 0) {
  std::array<std::uint64_t, group> steps;
  for (unsigned l = 0; l < group; ++l) steps[l] = std::uint64_t{first + l} * bytes;
  return steps;
}

}  // namespace

/// The same for all lanes.
bool NativeStretch::has_one_address(const Inst& inst) const {
  const ptx::Operand& address = inst.ptx->operands[inst.ptx->op == ptx::Opcode::ld ? 1 : 0];
  return address.base != ptx::Operand::Base::reg || is_uniform(address.index);
}

/// Indices or addresses; of a fixed request its addresses.
NativeStretch::Value NativeStretch::places_of(const Inst& inst) {
  Value places = inst.scale ? row_value(inst.c.offset, 4, false) : row_value(inst.a.offset, 8, has_one_address(inst));
  settle(places);  // they may be a number's bits
  return places;
}

bool loads_its_address(const Inst& inst) {
  return inst.ptx->op == ptx::Opcode::ld && inst.d.offset == (inst.scale ? inst.c : inst.a).offset;
}

/// Who watches hears of this load: its handler's. Of fixed ones leave_if_unknown() says more.
void NativeStretch::leave_if_reported(const Inst& inst) {
  if (inst.ptx->space != ptx::Space::shared) {
    const Gp extents = cc.newIntPtr();
    cc.mov(extents, part_of(warp_, offsetof(Warp, extents)));
    cc.cmp(x86::byte_ptr(extents, static_cast<int>(inst.cache * sizeof(Extent) + offsetof(Extent, report_loads))), 0);
  } else {
    const Gp block = cc.newIntPtr();
    cc.mov(block, part_of(warp_, offsetof(Warp, block)));
    cc.cmp(x86::byte_ptr(block, offsetof(Block, reported_shared_loads) + offsetof(SharedLoads, any)), 0);
  }
  cc.jne(leave_);
}

/// Of a load from shared memory: who watches may need to hear of so many bytes from each of these places on.
void NativeStretch::leave_if_unknown(const std::array<Gp, 4>& at, unsigned bytes) {
  const Gp block = cc.newIntPtr(), map = cc.newIntPtr(), known = cc.newIntPtr();
  const Label not_reported = cc.newLabel();
  cc.mov(block, part_of(warp_, offsetof(Warp, block)));
  cc.cmp(x86::byte_ptr(block, offsetof(Block, reported_shared_loads) + offsetof(SharedLoads, any)), 0);
  cc.je(not_reported);
  cc.mov(map, part_of(block, offsetof(Block, reported_shared_loads) + offsetof(SharedLoads, known)));
  cc.test(map, map);
  cc.jz(leave_);
  for (unsigned g = 0; g < groups; ++g) {
    const Gp bits = cc.newIntPtr(), into = cc.newIntPtr();
    cc.mov(into, at[g]);
    cc.shr(into, 3);
    cc.mov(bits, x86::qword_ptr(map, into));
    cc.mov(into, at[g]);
    cc.and_(into, 7);
    cc.shrx(bits, bits, into);
    g ? cc.and_(known, bits) : cc.mov(known, bits);
  }
  cc.not_(known);
  if (bytes < 64) cc.shl(known, 64 - bytes);
  cc.test(known, known);
  cc.jnz(leave_);
  cc.bind(not_reported);
}

void NativeStretch::access(const Inst& inst, const Form& form) {
  const bool fixed = inst.addressing == Addressing::fixed;
  if (observed_ == Observed::yes && (!fixed || !full_)) leave_if_reported(inst);
  if (!full_) return access_some(inst, form);
  Value data = data_of(inst, form);
  const Value places = fixed ? Value{} : places_of(inst);
  const Label done = cc.newLabel();
  scattered_ = cc.newLabel();
  if (fixed)
    access_fixed(inst, form, data);
  else if (inst.scale)
    access_indexed(inst, form, places, data);
  else
    access_groups(inst, form, places, data);
  cc.bind(done);
  if (fixed || !places.uniform) scattered_later_.push_back({scattered_, done, leave_, &inst, form, places, data});
  if (form.kind == Kind::load) keep(inst, data);
}

void NativeStretch::emit_scattered() {
  for (Scattered& s : scattered_later_) {
    cc.bind(s.begin);
    leave_ = s.leave;
    const bool fixed = s.inst->addressing == Addressing::fixed;
    if (observed_ == Observed::yes && fixed) leave_if_reported(*s.inst);
    access_scattered(*s.inst, s.form, fixed ? load_row(s.inst->a.offset, 8, false) : s.places, s.data);
    cc.jmp(s.end);
  }
}

/// Of some lanes: at consecutive places they go in whole vectors; elsewhere few go one by one, more all at once. What is loaded
/// ends in its row.
void NativeStretch::access_some(const Inst& inst, const Form& form) {
  constexpr int few = 8;
  for (const std::uint32_t row : {inst.a.offset, inst.scale ? inst.c.offset : inst.a.offset, inst.b.offset}) {
    if (!held_.erase(row)) continue;
    if (const auto found = values_.find(row); found != values_.end()) {
      settle(found->second);
      store_row(row, found->second, true);
    }
  }
  const Label elsewhere = cc.newLabel(), one_by_one = cc.newLabel(), done = cc.newLabel();
  const Gp count = cc.newGpd();
  const auto known = values_;  // what is read from rows on one way is not there on the others
  const auto lanes_known = executing_;
  cc.popcnt(count, exec_);
  cc.cmp(count, 1);
  cc.je(one_by_one);
  // Trees and scans in shared memory are of this kind. Elsewhere it is seldom worth the compiler's time.
  if (inst.ptx->space == ptx::Space::shared && !has_one_address(inst)) {
    access_consecutive(inst, form, elsewhere);
    values_ = known;
    executing_ = lanes_known;
    cc.jmp(done);
  }
  cc.bind(elsewhere);
  cc.cmp(count, few);
  cc.jbe(one_by_one);
  const Value places = places_of(inst);
  Value data = form.kind == Kind::load ? load_row(inst.d.offset, form.bytes, false) : source(inst, form, 0);
  access_scattered(inst, form, places, data);
  if (form.kind == Kind::load) store_row(inst.d.offset, data, true);
  values_ = known;
  executing_ = lanes_known;
  cc.jmp(done);
  cc.bind(one_by_one);
  access_lanes(inst, form);
  cc.bind(done);
  if (form.kind == Kind::store) return;
  values_.erase(inst.d.offset);
  held_.erase(inst.d.offset);
}

/// Of shared memory: some lanes, each one element behind the one before it, whichever they are. Where that is not so it jumps
/// before anything has happened. Operands are read from their rows, and only of chunks of lanes of which some execute.
void NativeStretch::access_consecutive(const Inst& inst, const Form& form, const Label& elsewhere) {
  const unsigned shift = static_cast<unsigned>(std::countr_zero(unsigned{form.bytes}));
  const Gp first = cc.newIntPtr(), last = cc.newIntPtr(), at = cc.newIntPtr(), start = cc.newIntPtr(), most = cc.newIntPtr();
  cc.tzcnt(first.r32(), exec_);
  cc.bsr(last.r32(), exec_);
  cc.sub(last, first);
  cc.shl(last, shift);
  cc.mov(at, x86::qword_ptr(rows_, first, 3, static_cast<int>(inst.a.offset)));
  cc.shl(first, shift);
  cc.mov(start, at);
  cc.sub(start, first);
  if (inst.offset) {
    const Gp offset = cc.newIntPtr();
    cc.mov(offset, inst.offset);
    cc.add(at, offset);
  }
  // The first and the last of them lie inside.
  cc.mov(most, part_of(warp_, offsetof(Warp, shared_bytes)));
  cc.sub(most, static_cast<int>(form.bytes));
  cc.jb(elsewhere);
  cc.cmp(at, most);
  cc.ja(elsewhere);
  cc.test(at.r8Lo(), static_cast<int>(form.bytes - 1));
  cc.jnz(elsewhere);
  cc.add(last, at);
  cc.cmp(last, most);
  cc.ja(elsewhere);
  cc.sub(at, first);  // where lane 0 would be, perhaps outside
  if (form.kind == Kind::store && !v.are_512_bits()) {
    // What the other lanes would store to is stored again: all 32 have to lie inside.
    cc.sub(most, static_cast<int>((lanes - 1) * form.bytes));
    cc.jb(elsewhere);
    cc.cmp(at, most);
    cc.ja(elsewhere);
  }
  const NativeVectors::Spread here = v.spread(exec_);
  leave_unless_consecutive(inst, form, here, start, elsewhere);
  cc.add(at, part_of(warp_, offsetof(Warp, shared)));
  for_chunks(form.bytes, [&](unsigned n) {
    const Vec data = v.fresh();
    const std::uint32_t row = form.kind == Kind::load ? inst.d.offset : inst.b.offset;
    const Mem in_row = v.at(rows_, row + v.bytes() * n), place = v.at(at, v.bytes() * n);
    const Mask mask = v.mask(here, form.bytes, n);
    v.load(data, in_row);
    form.kind == Kind::load ? v.load_some(data, place, mask, form.bytes) : v.store_some_of_own(place, data, mask, form.bytes);
    if (form.kind == Kind::load) v.store(in_row, data);
  });
}

/// emit_part(n) for the parts of a row whose lanes are not all idle.
template <class F>
void NativeStretch::for_chunks(unsigned bytes, F emit_part) {
  const unsigned chunk = v.bytes() / 4, parts = bytes / 4;  // lanes, and of a row
  for (unsigned c = 0; c < lanes / chunk; ++c) {
    const Label idle = cc.newLabel();
    cc.test(exec_, static_cast<int>(((1u << chunk) - 1) << (c * chunk)));
    cc.jz(idle);
    for (unsigned n = 0; n < parts; ++n) emit_part(c * parts + n);
    cc.bind(idle);
  }
}

/// Lane 0 would be at `start`, each further lane one element behind the one before it.
void NativeStretch::leave_unless_consecutive(const Inst& inst, const Form& form, const NativeVectors::Spread& here, const Gp& start,
                                             const Label& elsewhere) {
  const Vec first = v.fresh();
  cc.vmovq(first.xmm(), start);
  cc.vpbroadcastq(first, first.xmm());
  for_chunks(8, [&](unsigned n) {
    const Vec expected = v.fresh();
    const Mem places = v.at(rows_, inst.a.offset + v.bytes() * n);
    const Mask mask = v.mask(here, 8, n);
    cc.vpaddq(expected, first, v.constant_vector(steps_of(form.bytes, n * v.bytes() / 8)));
    if (v.are_512_bits()) {
      const KReg differ = cc.newKw();
      cc.k(mask.bits).vpcmpq(differ, expected, places, not_equal);
      cc.kortestw(differ, differ);
    } else {
      cc.vpxor(expected, expected, places);
      cc.vptest(expected, mask.lanes);
    }
    cc.jnz(elsewhere);
  });
}

/// Eight lanes at a time, wherever they point; leaves before anything has happened.
void NativeStretch::access_scattered(const Inst& inst, const Form& form, const Value& places, Value& data) {
  if (!v.are_512_bits()) return access_scattered_avx2(inst, form, places, data);
  Gp low, bytes, host;
  allocation_of(inst, form, low, bytes, host);
  cc.sub(bytes, static_cast<int>(form.bytes));
  cc.jb(leave_);
  const Gp base = cc.newIntPtr();
  cc.mov(base, inst.offset);
  cc.sub(base, low);
  if (inst.scale) cc.add(base, part_of(rows_, inst.a.offset));
  const Zmm bases = cc.newZmm(), most = cc.newZmm();
  cc.vpbroadcastq(bases, base);
  cc.vpbroadcastq(most, bytes);
  const Value wide = inst.scale ? widened(places, inst.index_signed) : places;
  const auto mask_of = [&](unsigned g) {
    if (!full_) return v.mask(v.spread(exec_), 8, g).bits;
    const Gp all = cc.newGpd();
    const KReg mask = cc.newKd();
    cc.mov(all, -1);
    cc.kmovd(mask, all);
    return mask;
  };
  std::array<Zmm, 4> from_low;
  KReg bad;
  for (unsigned g = 0; g < groups; ++g) {
    from_low[g] = cc.newZmm();
    if (inst.scale) {
      cc.vpsllq(from_low[g], wide.of(g), std::countr_zero(unsigned{form.bytes}));
      cc.vpaddq(from_low[g], from_low[g], bases);
    } else {
      cc.vpaddq(from_low[g], wide.of(g), bases);
    }
    const KReg outside = cc.newKw(), crooked = cc.newKw();
    cc.vpcmpuq(outside, from_low[g], most, greater);
    cc.vptestmq(crooked, from_low[g], v.constant64(form.bytes - 1u));
    cc.korw(outside, outside, crooked);
    if (!full_) cc.kandw(outside, outside, mask_of(g));
    if (g) cc.korw(bad, bad, outside);
    if (!g) bad = outside;
  }
  cc.kortestw(bad, bad);
  cc.jnz(leave_);
  for (unsigned g = 0; g < groups; ++g) {
    const KReg mask = mask_of(g);  // each is used up
    const Mem at = x86::ptr(host, from_low[g]);
    if (form.bytes == 8) {
      if (form.kind == Kind::store) {
        cc.k(mask).vpscatterqq(at, data.of(g));
      } else {
        if (full_) cc.vpxord(data.part[g], data.part[g], data.part[g]);
        cc.k(mask).vpgatherqq(data.part[g], at);
      }
      continue;
    }
    const x86::Ymm half = cc.newYmm();
    if (form.kind == Kind::store) {
      cc.vextracti64x4(half, data.of(g / 2), g % 2);
      cc.k(mask).vpscatterqd(at, half);
      continue;
    }
    const Vec& part = data.part[g / 2];
    if (full_)
      cc.vpxor(half, half, half);
    else
      cc.vextracti64x4(half, part, g % 2);
    cc.k(mask).vpgatherqd(half, at);
    if (full_ && g % 2 == 0)
      cc.vmovdqa(part.ymm(), half);
    else
      cc.vinserti64x4(part, part, half, g % 2);
  }
}

/// Lane by lane; places and values are in their rows, and what is loaded goes to its.
void NativeStretch::access_lanes(const Inst& inst, const Form& form) {
  Gp low, bytes, host;
  allocation_of(inst, form, low, bytes, host);
  const Gp base = cc.newIntPtr();
  cc.mov(base, inst.offset);
  cc.sub(base, low);
  if (inst.scale) cc.add(base, part_of(rows_, inst.a.offset));
  cc.sub(bytes, static_cast<int>(form.bytes));
  cc.jb(leave_);
  const auto for_lanes = [&](auto at_lane) {
    const Gp left = cc.newGpd(), lane = cc.newIntPtr(), at = cc.newIntPtr();
    const Label again = cc.newLabel();
    cc.mov(left, exec_);
    cc.bind(again);
    cc.tzcnt(lane.r32(), left);
    if (inst.scale) {
      const Mem index = x86::dword_ptr(rows_, lane, 2, static_cast<int>(inst.c.offset));
      inst.index_signed ? cc.movsxd(at, index) : cc.mov(at.r32(), index);
      cc.lea(at, x86::ptr(base, at, static_cast<std::uint32_t>(std::countr_zero(unsigned{form.bytes}))));
    } else {
      cc.mov(at, x86::qword_ptr(rows_, lane, 3, static_cast<int>(inst.a.offset)));
      cc.add(at, base);
    }
    at_lane(lane, at);
    cc.blsr(left, left);
    cc.jnz(again);
  };
  const auto look = [&](const Gp& at) {
    cc.cmp(at, bytes);
    cc.ja(leave_);
    cc.test(at.r8Lo(), static_cast<int>(form.bytes - 1));
    cc.jnz(leave_);
  };
  const unsigned shift = static_cast<unsigned>(std::countr_zero(unsigned{form.bytes}));
  const auto in_row = [&](const Gp& lane, std::uint32_t row) { return x86::ptr(rows_, lane, shift, static_cast<int>(row)); };
  const auto move = [&](auto to, auto from) {
    const Gp value = cc.newIntPtr();
    form.bytes == 4 ? cc.mov(value.r32(), from) : cc.mov(value, from);
    form.bytes == 4 ? cc.mov(to, value.r32()) : cc.mov(to, value);
  };
  if (form.kind == Kind::load) {
    const Gp last = cc.newIntPtr();
    for_lanes([&](const Gp& lane, const Gp& at) {
      look(at);
      move(in_row(lane, inst.d.offset), x86::ptr(host, at));
      cc.mov(last, at);
    });
    if (inst.ptx->space != ptx::Space::shared) cc.prefetcht0(x86::ptr(host, last, 0, prefetched));  // as in access_indexed()
    return;
  }
  // The handler repeats what was left half done, and no other worker may see that: this one alone sees the block's own memory.
  const bool own = inst.ptx->space == ptx::Space::shared;
  if (!own) for_lanes([&](const Gp&, const Gp& at) { look(at); });
  for_lanes([&](const Gp& lane, const Gp& at) {
    if (own) look(at);
    move(x86::ptr(host, at), in_row(lane, inst.b.offset));
  });
}

/// Where the warp's next turn here will load, if it goes on as far as since its last one: a host does not see strides of pages
/// coming, which grids that stride over an array make. Row d2 holds where the last one was.
void NativeStretch::prefetch(const Inst& inst, const Gp& at, const Gp& host) {
  constexpr int line = 64;
  const Mem last = x86::qword_ptr(rows_, static_cast<int>(inst.d2.offset));
  const Gp next = cc.newIntPtr();
  cc.lea(next, x86::ptr(at, at));
  cc.sub(next, last);
  cc.mov(last, at);
  cc.prefetcht0(x86::ptr(host, next));
  cc.prefetcht0(x86::ptr(host, next, 0, line));
}

/// Between a value and four groups' places.
void NativeStretch::copy_groups(const Form& form, const std::array<Mem, 4>& at, Value& data) {
  const bool load = form.kind == Kind::load;
  for (unsigned g = 0; g < groups; ++g) {
    if (!v.are_512_bits()) {  // a group is one vector or two
      for (unsigned n = 0; n < form.bytes / 4u; ++n) {
        const Mem there = at[g].cloneAdjusted(n * v.bytes());
        const unsigned part = g * form.bytes / 4 + n;
        load ? v.load(data.part[part], there) : v.store(there, data.of(part));
      }
      continue;
    }
    if (form.bytes == 8) {
      load ? v.load(data.part[g], at[g]) : v.store(at[g], data.of(g));
      continue;
    }
    const Vec& part = load ? data.part[g / 2] : data.of(g / 2);
    if (g % 2 == 0)
      load ? cc.vmovdqu(part.ymm(), at[g]) : cc.vmovdqu(at[g], part.ymm());
    else
      load ? cc.vinserti64x4(part, part, at[g], 1) : cc.vextracti64x4(at[g], part, 1);
  }
}

/// What a load fills or a store takes.
NativeStretch::Value NativeStretch::data_of(const Inst& inst, const Form& form) {
  if (form.kind == Kind::store) {
    Value data = source(inst, form, 0);
    if (data.raw) {
      settle(data);
      values_[inst.b.offset] = data;
    }
    return data;
  }
  return value_of(form.bytes, false);
}

/// Row c says where the groups lie, once all lanes were there before.
void NativeStretch::access_fixed(const Inst& inst, const Form& form, Value& data) {
  const int shape = static_cast<int>(inst.c.offset);
  const Mem kind = x86::byte_ptr(rows_, shape + static_cast<int>(offsetof(FixedShape, kind)));
  const Label seen = cc.newLabel();
  cc.cmp(x86::dword_ptr(rows_, shape + static_cast<int>(offsetof(FixedShape, exec))), -1);
  cc.je(seen);
  cc.cmp(kind, static_cast<int>(FixedShape::Kind::scattered));
  cc.je(scattered_);
  cc.jmp(leave_);
  cc.bind(seen);
  const Gp shared = cc.newIntPtr();
  cc.mov(shared, part_of(warp_, offsetof(Warp, shared)));
  std::array<Gp, 4> at;
  std::array<Mem, 4> place;
  for (unsigned g = 0; g < groups; ++g) {
    at[g] = cc.newIntPtr();
    cc.mov(at[g].r32(), x86::dword_ptr(rows_, shape + static_cast<int>(offsetof(FixedShape, at) + 4 * g)));
    place[g] = x86::ptr(shared, at[g]);
  }
  cc.cmp(kind, static_cast<int>(FixedShape::Kind::groups_consecutive));
  if (form.kind == Kind::store) {
    cc.jne(leave_);
    return copy_groups(form, place, data);
  }
  const Label same = cc.newLabel(), done = cc.newLabel();
  cc.jne(same);
  if (observed_ == Observed::yes) leave_if_unknown(at, group * form.bytes);
  copy_groups(form, place, data);
  cc.jmp(done);
  cc.bind(same);
  if (observed_ == Observed::yes) leave_if_unknown(at, form.bytes);
  spread_groups(place, data);
  cc.bind(done);
}

/// One element for each group.
void NativeStretch::spread_groups(const std::array<Mem, 4>& at, Value& data) {
  for (unsigned g = 0; g < groups; ++g) {
    if (!v.are_512_bits() && data.bytes == 4) {
      cc.vpbroadcastd(data.part[g], at[g]);
    } else if (!v.are_512_bits()) {
      cc.vpbroadcastq(data.part[2 * g], at[g]);
      v.move(data.part[2 * g + 1], data.part[2 * g]);
    } else if (data.bytes == 8) {
      cc.vpbroadcastq(data.part[g], at[g]);
    } else if (g % 2 == 0) {
      cc.vpbroadcastd(data.part[g / 2].ymm(), at[g]);
    } else {
      const x86::Ymm high = cc.newYmm();
      cc.vpbroadcastd(high, at[g]);
      cc.vinserti64x4(data.part[g / 2], data.part[g / 2], high, 1);
    }
  }
}

/// One place for all lanes, of which the last one's value stays.
void NativeStretch::access_one(const Form& form, const Gp& from_low, const Gp& bytes, const Gp& host, Value& data) {
  cc.sub(bytes, static_cast<int>(form.bytes));
  cc.jb(leave_);
  cc.cmp(from_low, bytes);
  cc.ja(leave_);
  cc.test(from_low.r8Lo(), static_cast<int>(form.bytes - 1));
  cc.jnz(leave_);
  const Mem at = x86::ptr(host, from_low);
  if (form.kind == Kind::load) {
    data.uniform = true;
    form.bytes == 4 ? cc.vpbroadcastd(data.part[0], at) : cc.vpbroadcastq(data.part[0], at);
    return;
  }
  const x86::Xmm last = cc.newXmm();
  const Vec& from = data.of(data.all_parts - 1);
  v.are_512_bits() ? cc.vextracti32x4(last, from, 3) : cc.vextracti128(last, from, 1);
  data.bytes == 4 ? cc.vpextrd(at, last, 3) : cc.vpextrq(at, last, 1);
}

/// Shared memory, or the remembered allocation: its first address, bytes, and where the host has it. Leaves where it may not be
/// written.
void NativeStretch::allocation_of(const Inst& inst, const Form& form, Gp& low, Gp& bytes, Gp& host) {
  low = cc.newIntPtr(), bytes = cc.newIntPtr(), host = cc.newIntPtr();
  if (inst.ptx->space == ptx::Space::shared) {
    cc.xor_(low.r32(), low.r32());
    cc.mov(bytes, part_of(warp_, offsetof(Warp, shared_bytes)));
    cc.mov(host, part_of(warp_, offsetof(Warp, shared)));
    return;
  }
  const Gp extents = cc.newIntPtr();
  const std::size_t at = inst.cache * sizeof(Extent);
  cc.mov(extents, part_of(warp_, offsetof(Warp, extents)));
  if (form.kind == Kind::store) {
    cc.cmp(x86::byte_ptr(extents, static_cast<int>(at + offsetof(Extent, writable))), 0);
    cc.je(leave_);
  }
  cc.mov(low, part_of(extents, at + offsetof(Extent, low)));
  cc.mov(bytes, part_of(extents, at + offsetof(Extent, high)));
  cc.sub(bytes, low);
  cc.mov(host, part_of(extents, at + offsetof(Extent, host)));
}

/// Where each group's first lane lies, from the allocation's beginning; to scattered_ where a group's indices are not consecutive
/// or leave it, at `bytes` less a group's.
std::array<Gp, 4> NativeStretch::indexed_groups(const Inst& inst, const Form& form, const Value& index, const Gp& base,
                                                const Gp& bytes) {
  // Consecutive, and no lane's index wraps round.
  const std::array<std::uint32_t, 16> to_first = {0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8};
  const std::array<std::uint32_t, 16> steps = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  const std::array<std::uint32_t, 16> to_firsts = {0, 8, 16, 24, 0, 8, 16, 24, 0, 8, 16, 24, 0, 8, 16, 24};
  const Zmm pick = cc.newZmm();
  cc.vmovdqu32(pick, v.constant_vector(to_first));
  std::array<Zmm, 2> stray;
  std::array<KReg, 2> wraps;
  for (unsigned n = 0; n < 2; ++n) {
    const Zmm first = cc.newZmm();
    stray[n] = cc.newZmm(), wraps[n] = cc.newKw();
    cc.vpermd(first, pick, index.of(n));
    cc.vpsubd(stray[n], index.of(n), first);
    if (inst.index_signed)
      cc.vpcmpd(wraps[n], first, v.constant(0x7fffffffu - (group - 1)), greater);
    else
      cc.vpcmpud(wraps[n], first, v.constant(0xffffffffu - (group - 1)), greater);
  }
  const Zmm expected = cc.newZmm();
  const KReg strays = cc.newKw();
  cc.vmovdqu32(expected, v.constant_vector(steps));
  cc.vpternlogd(stray[0], stray[1], expected, 0x7e);  // some differ: not all three bits alike
  cc.vptestmd(strays, stray[0], stray[0]);
  cc.korw(wraps[0], wraps[0], wraps[1]);

  // From the allocation's beginning, each group's first lane.
  const Zmm where = cc.newZmm();
  const KReg outside = cc.newKw();
  cc.vmovdqu32(where, v.constant_vector(to_firsts));
  cc.vpermi2d(where, index.of(0), index.of(1));
  const x86::Ymm from_low = cc.newYmm(), most = cc.newYmm();
  inst.index_signed ? cc.vpmovsxdq(from_low, where.xmm()) : cc.vpmovzxdq(from_low, where.xmm());
  cc.vpsllq(from_low, from_low, std::countr_zero(unsigned{form.bytes}));
  const x86::Ymm base_of_all = cc.newYmm();
  cc.vpbroadcastq(base_of_all, base);
  cc.vpaddq(from_low, from_low, base_of_all);
  cc.vpbroadcastq(most, bytes);
  cc.vpcmpuq(outside, from_low, most, greater);
  cc.korw(strays, strays, outside);
  cc.kortestw(strays, wraps[0]);
  cc.jnz(scattered_);

  std::array<Gp, 4> at;
  const x86::Xmm upper = cc.newXmm();
  cc.vextracti128(upper, from_low, 1);
  for (unsigned g = 0; g < groups; ++g) {
    at[g] = cc.newIntPtr();
    const x86::Xmm half = g < 2 ? from_low.xmm() : upper;
    if (g % 2)
      cc.vpextrq(at[g], half, 1);
    else
      v.low_to(at[g], half);
  }
  return at;
}

/// base + index × scale, where each group's indices are consecutive.
void NativeStretch::access_indexed(const Inst& inst, const Form& form, const Value& index, Value& data) {
  Gp low, bytes, host;
  allocation_of(inst, form, low, bytes, host);
  const Gp base = cc.newIntPtr();
  cc.mov(base, part_of(rows_, inst.a.offset));
  if (inst.offset) {
    const Gp offset = cc.newIntPtr();
    cc.mov(offset, inst.offset);
    cc.add(base, offset);
  }
  cc.sub(base, low);
  if (index.uniform) {
    const Gp at = cc.newIntPtr();
    v.low_to(at.r32(), index.of(0));
    if (inst.index_signed) cc.movsxd(at, at.r32());
    cc.lea(at, x86::ptr(base, at, static_cast<std::uint32_t>(std::countr_zero(unsigned{form.bytes}))));
    return access_one(form, at, bytes, host, data);
  }
  cc.test(base.r8Lo(), static_cast<int>(form.bytes - 1));
  cc.jnz(leave_);
  cc.sub(bytes, static_cast<int>(group * form.bytes));
  cc.jb(leave_);

  const std::array<Gp, 4> at =
      v.are_512_bits() ? indexed_groups(inst, form, index, base, bytes) : indexed_groups_avx2(inst, form, index, base, bytes);
  std::array<Mem, 4> place;
  for (unsigned g = 0; g < groups; ++g) place[g] = x86::ptr(host, at[g]);
  // Pieces of several lines of a field, which a host does not see coming: blocks to the right will want what follows them.
  const Label no_pieces = cc.newLabel(), ready = cc.newLabel();
  const Gp spread = cc.newIntPtr();
  cc.mov(spread, at[groups - 1]);
  cc.sub(spread, at[0]);
  cc.cmp(spread, static_cast<int>((lanes - group) * form.bytes));
  cc.je(no_pieces);
  for (unsigned g = 0; g < groups; ++g) cc.prefetcht0(x86::ptr(host, at[g], 0, prefetched));
  cc.jmp(ready);
  cc.bind(no_pieces);
  if (inst.d2.offset) prefetch(inst, at[0], host);
  cc.bind(ready);
  copy_groups(form, place, data);
}

/// So many bytes of an allocation, from each of these places on.
void NativeStretch::leave_unless_within(const std::array<Gp, 4>& at, unsigned reach, const Gp& bytes) {
  const Gp most = cc.newIntPtr();
  cc.mov(most, bytes);
  cc.sub(most, static_cast<int>(reach));
  cc.jb(leave_);
  for (const Gp& one : at) {
    cc.cmp(one, most);
    cc.ja(leave_);
  }
}

/// Any address of 64 bits: groups at consecutive places, or each at one.
void NativeStretch::access_groups(const Inst& inst, const Form& form, const Value& address, Value& data) {
  Gp low, bytes, host;
  allocation_of(inst, form, low, bytes, host);
  if (inst.offset) {
    const Gp offset = cc.newIntPtr();
    cc.mov(offset, inst.offset);
    cc.sub(low, offset);  // what is subtracted from each address
  }
  if (address.uniform) {
    const Gp at = cc.newIntPtr();
    v.low_to(at, address.of(0));
    cc.sub(at, low);
    return access_one(form, at, bytes, host, data);
  }
  if (!v.are_512_bits()) return access_groups_avx2(inst, form, address, low, bytes, host, data);
  const Zmm steps = cc.newZmm();
  cc.vmovdqu64(steps, v.constant_vector(steps_of(form.bytes)));
  std::array<Zmm, 4> from_first;
  std::array<KReg, 4> stray;
  std::array<Gp, 4> at;
  std::array<Mem, 4> place;
  const Gp all = cc.newIntPtr();
  for (unsigned g = 0; g < groups; ++g) {
    from_first[g] = cc.newZmm(), stray[g] = cc.newKw(), at[g] = cc.newIntPtr();
    cc.vpbroadcastq(from_first[g], address.of(g).xmm());
    cc.vpsubq(from_first[g], address.of(g), from_first[g]);
    cc.vpcmpq(stray[g], from_first[g], steps, not_equal);
    v.low_to(at[g], address.of(g));
    cc.sub(at[g], low);
    g ? cc.or_(all, at[g]) : cc.mov(all, at[g]);
    place[g] = x86::ptr(host, at[g]);
  }
  cc.test(all.r8Lo(), static_cast<int>(form.bytes - 1));
  cc.jnz(leave_);
  cc.korw(stray[0], stray[0], stray[1]);
  cc.korw(stray[2], stray[2], stray[3]);
  cc.kortestw(stray[0], stray[2]);
  copy_or_spread(inst, form, {at, place, bytes, host}, data, [&] {
    for (unsigned g = 1; g < groups; ++g) cc.vporq(from_first[0], from_first[0], from_first[g]);
    cc.vptestmq(stray[0], from_first[0], from_first[0]);
    cc.kortestw(stray[0], stray[0]);
  });
}

}  // namespace warpbook::gpu::vm

#endif
