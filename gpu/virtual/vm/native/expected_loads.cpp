// Fixed loads from shared memory (Addressing::fixed) that lie as their addresses let expect: one look at all their shapes where the
// stretch begins, so that what is between them stays in registers, and no register holds what is wanted only later.
#ifdef __x86_64__

#  include <bit>
#  include <cstddef>

#  include "gpu/virtual/vm/native/stretch.h"

namespace warpbook::gpu::vm {

using x86::Gp;

std::set<std::uint32_t> rows_by_lane(const Code& code) {
  std::set<std::uint32_t> rows;
  for (const auto& [special, row] : code.specials)
    if (special == ptx::Special::tid_x || special == ptx::Special::laneid) rows.insert(row.offset);
  for (const Inst& inst : code.prologue) {
    const bool depends = rows.contains(inst.a.offset) || rows.contains(inst.b.offset) || rows.contains(inst.c.offset);
    depends ? (void)rows.insert(inst.d.offset) : (void)rows.erase(inst.d.offset);
  }
  return rows;
}

bool NativeStretch::expect(const Expected& expected) {
  constexpr unsigned enough = 2;
  if (!plan_.full || observed_ == Observed::yes) return false;
  expected_ = &expected;
  unsigned found = 0;
  for (std::uint32_t n = 0; n < plan_.count; ++n) found += is_expected(code_.insts[plan_.first + n]);
  if (found < enough) expected_ = nullptr;
  return expected_;
}

bool NativeStretch::is_expected(const Inst& inst) const {
  return expected_ && full_ && !inside_over_ && inst.flow == Flow::plain && inst.ptx && inst.ptx->op == ptx::Opcode::ld &&
         inst.addressing == Addressing::fixed && code_.last_use[register_of(inst)] != ptx::no_pc &&
         form_of(code_, inst).kind == Form::Kind::load;
}

/// All lanes were there, and they lie as expected: two members that are side by side, as one number.
void NativeStretch::check_expected() {
  static_assert(offsetof(FixedShape, exec) % 8 == 0 && offsetof(FixedShape, kind) == offsetof(FixedShape, exec) + 4);
  otherwise_ = cc.newLabel();
  const Gp differs = cc.newIntPtr();
  cc.xor_(differs.r32(), differs.r32());
  for (std::uint32_t n = 0; n < plan_.count; ++n) {
    const Inst& inst = code_.insts[plan_.first + n];
    if (inst.flow == Flow::skip) n = inst.target - plan_.first - 1;
    if (inst.flow == Flow::skip || !is_expected(inst)) continue;
    const auto kind =
        static_cast<std::uint64_t>(in_a_row(inst) ? FixedShape::Kind::groups_consecutive : FixedShape::Kind::groups_same);
    const Gp wanted = cc.newIntPtr();
    cc.mov(wanted, kind << 32 | 0xffffffffu);
    cc.xor_(wanted, x86::qword_ptr(rows_, static_cast<int>(inst.c.offset + offsetof(FixedShape, exec))));
    cc.or_(differs, wanted);
  }
  cc.test(differs, differs);
  cc.jnz(otherwise_);
}

/// Warps in lockstep go on in the other stretch, all that are left.
void NativeStretch::emit_otherwise() {
  cc.bind(otherwise_);
  asmjit::InvokeNode* call = nullptr;
  const Gp executed = cc.newGpd();
  if (plan_.together) {
    if (branches()) store_jumps();
    cc.mov(x86::dword_ptr(together_, offsetof(Together, warp)), which_.r32());
    cc.invoke(&call, expected_->otherwise, asmjit::FuncSignatureT<std::uint32_t, Together*>(asmjit::CallConvId::kHost));
    call->setArg(0, together_);
  } else {
    cc.invoke(&call, expected_->otherwise, asmjit::FuncSignatureT<std::uint32_t, Warp*>(asmjit::CallConvId::kHost));
    call->setArg(0, warp_);
  }
  call->setRet(0, executed);
  cc.ret(executed);
}

void NativeStretch::load_later(const Inst& inst) {
  const std::uint32_t row = inst.d.offset;
  values_.erase(row);
  held_[row] = code_.last_use[register_of(inst)];
  later_[row] = &inst;
}

void NativeStretch::load_now(std::uint32_t row) {
  const auto found = later_.find(row);
  const Inst& inst = *found->second;
  later_.erase(found);
  Value data = value_of(inst.bytes, false);
  // Those of one address and different offsets lie side by side.
  const auto [base, fresh] = bases_.try_emplace(inst.a.offset);
  if (fresh) {
    base->second.offset = inst.offset;
    for (unsigned g = 0; g < native_groups; ++g) {
      const Gp at = base->second.at[g] = cc.newIntPtr();
      cc.mov(at.r32(), x86::dword_ptr(rows_, static_cast<int>(inst.c.offset + offsetof(FixedShape, at) + 4 * g)));
      cc.add(at, x86::qword_ptr(warp_, offsetof(Warp, shared)));
    }
  }
  std::array<x86::Mem, native_groups> place;
  for (unsigned g = 0; g < native_groups; ++g)
    place[g] = x86::ptr(base->second.at[g], static_cast<std::int32_t>(inst.offset - base->second.offset));
  in_a_row(inst) ? copy_groups(form_of(code_, inst), place, data) : spread_groups(place, data);
  values_[row] = data;
}

/// Before anything else happens to memory, or the ways part.
void NativeStretch::load_all_now() {
  while (!later_.empty()) load_now(later_.begin()->first);
}

}  // namespace warpbook::gpu::vm

#endif
