#ifdef __x86_64__

#  include "gpu/virtual/vm/native/stretch.h"

#  include <cstddef>

#  include "gpu/virtual/ptx/control_flow.h"
#  include "gpu/virtual/vm/exec/lockstep.h"
#  include "gpu/virtual/vm/exec/warp.h"

namespace warpbook::gpu::vm {

using asmjit::Label;
using ptx::Operand;
using x86::Gp;
using x86::Mem;
using x86::Vec;
using Kind = Form::Kind;

std::vector<bool> alike_in_all_lanes(const ptx::Function& function) {
  if (!function.entry) return std::vector<bool>(function.registers.size());  // who calls it may come from several places
  std::vector<bool> found = ptx::varying_registers(function);
  found.flip();
  return found;
}

Label NativeStretch::emit() {
  asmjit::FuncNode* const function = plan_.together
                                         ? cc.addFunc(asmjit::FuncSignatureT<std::uint32_t, Together*>(asmjit::CallConvId::kHost))
                                         : cc.addFunc(asmjit::FuncSignatureT<std::uint32_t, Warp*>(asmjit::CallConvId::kHost));
  v.prepare(function->frame());
  warp_ = cc.newIntPtr();
  rows_ = cc.newIntPtr();
  if (plan_.together) {
    together_ = cc.newIntPtr();
    function->setArg(0, together_);
    emit_together();
  } else {
    function->setArg(0, warp_);
    emit_alone();
  }
  answer(plan_.count);
  if (expected_) emit_otherwise();
  emit_scattered();
  emit_exits();
  cc.endFunc();
  return function->label();
}

void NativeStretch::answer(std::uint32_t executed) {
  const Gp count = cc.newGpd();
  cc.mov(count, executed);
  cc.ret(count);
}

void NativeStretch::emit_alone() {
  cc.mov(rows_, x86::qword_ptr(warp_, offsetof(Warp, rows)));
  if (!full_) {
    exec_ = cc.newGpd();
    cc.mov(exec_, x86::dword_ptr(warp_, offsetof(Warp, exec)));
  }
  emit_body();
}

void NativeStretch::emit_body() {
  if (expected_) check_expected();
  emit_insts(0, plan_.count);
  load_all_now();
  write_back(code_.insts[plan_.first + plan_.count - 1].pc);
}

/// A loop over the warps.
void NativeStretch::emit_together() {
  const Label again = cc.newLabel();
  const Gp lockstep = cc.newIntPtr();
  which_ = cc.newIntPtr();
  cc.mov(lockstep, x86::qword_ptr(together_, offsetof(Together, lockstep)));
  cc.mov(which_.r32(), x86::dword_ptr(together_, offsetof(Together, warp)));
  if (branches()) {
    jump_ = cc.newGpd();
    stay_ = cc.newGpd();
    cc.mov(jump_, x86::dword_ptr(together_, offsetof(Together, jump)));
    cc.mov(stay_, x86::dword_ptr(together_, offsetof(Together, stay)));
  }
  cc.bind(again);
  cc.mov(warp_, x86::qword_ptr(lockstep, which_, 3, offsetof(Lockstep, warps)));
  cc.mov(rows_, x86::qword_ptr(lockstep, which_, 3, offsetof(Lockstep, rows)));
  emit_body();
  if (branches()) add_jumps();
  cc.inc(which_);
  cc.cmp(which_.r32(), x86::dword_ptr(lockstep, offsetof(Lockstep, count)));
  cc.jb(again);
  if (branches()) store_jumps();
}

bool NativeStretch::branches() const {
  const Flow flow = code_.insts[plan_.first + plan_.count].flow;
  return plan_.together && (flow == Flow::branch || flow == Flow::skip);
}

/// Which way the warp goes at the branch behind the stretch.
void NativeStretch::add_jumps() {
  const Inst& branch = code_.insts[plan_.first + plan_.count];
  const Gp opposite = cc.newGpd(), bits = load_predicate(branch.guard.offset);
  cc.mov(opposite, bits);
  cc.not_(opposite);
  cc.or_(branch.guard_negated ? stay_ : jump_, bits);
  cc.or_(branch.guard_negated ? jump_ : stay_, opposite);
}

/// Of the warps so far, where this one hands over to others.
void NativeStretch::store_jumps() {
  cc.mov(x86::dword_ptr(together_, offsetof(Together, jump)), jump_);
  cc.mov(x86::dword_ptr(together_, offsetof(Together, stay)), stay_);
}

void NativeStretch::emit_exits() {
  for (Exit& exit : exits_) {
    cc.bind(exit.label);
    for (auto& [row, value] : exit.values) {
      if (value.raw) settle_always(value);
      store_row(row, value, true);
    }
    for (auto& [row, bits] : exit.predicates) cc.mov(x86::dword_ptr(rows_, static_cast<int>(row)), bits);
    if (plan_.full && !exit.all_lanes) cc.mov(x86::dword_ptr(warp_, offsetof(Warp, skip_lanes)), exit.exec);
    if (plan_.together) cc.mov(x86::dword_ptr(together_, offsetof(Together, warp)), which_.r32());
    if (branches()) store_jumps();
    answer(exit.executed);
  }
}

void NativeStretch::emit_insts(std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t n = begin; n < end;) {
    const Inst& inst = code_.insts[plan_.first + n];
    if (inst.flow == Flow::skip) {
      n = emit_over(n);
      continue;
    }
    const Form form = form_of(code_, inst);
    if (is_expected(inst)) {
      load_later(inst);
      ++n;
      continue;
    }
    if (form.kind == Kind::load || form.kind == Kind::store) leave_ = leave(n);
    if (inst.flow == Flow::barrier) load_all_now();
    if (inst.flow == Flow::plain) emit_inst(inst, form);
    ++n;
  }
}

/// What some lanes jump over: once for all, once for the others. Returns where all meet.
std::uint32_t NativeStretch::emit_over(std::uint32_t n) {
  const Inst& branch = code_.insts[plan_.first + n];
  const std::uint32_t meets = branch.target - plan_.first;
  const std::uint32_t stretch = code_.insts[branch.target].pc - branch.pc - 1;
  const Label some = cc.newLabel(), none = cc.newLabel(), met = cc.newLabel();
  load_all_now();
  inside_over_ = true;
  const Gp taken = cc.newGpd();
  cc.mov(taken, load_predicate(branch.guard.offset));
  if (branch.guard_negated) cc.not_(taken);
  auto values = values_;
  auto predicates = predicates_;
  cc.test(taken, taken);
  cc.jnz(some);
  emit_insts(n + 1, meets);
  cc.jmp(met);

  cc.bind(some);
  const Gp missed = cc.newIntPtr();
  cc.popcnt(missed.r32(), taken);
  cc.imul(missed, missed, static_cast<int>(stretch));
  const Gp executed = cc.newIntPtr();
  cc.mov(executed, x86::qword_ptr(warp_, offsetof(Warp, executed)));
  cc.sub(x86::qword_ptr(executed, offsetof(Executed, thread_instructions)), missed);
  values_ = values;
  predicates_ = predicates;
  held_.clear();  // of the first way; nothing is held across a basic block's end (Code::last_use)
  exec_ = cc.newGpd();
  cc.mov(exec_, taken);
  cc.not_(exec_);
  cc.test(exec_, exec_);
  cc.jz(none);
  full_ = false;
  emit_insts(n + 1, meets);
  full_ = true;
  executing_.clear();
  cc.jmp(met);

  cc.bind(none);
  cc.sub(x86::qword_ptr(executed, offsetof(Executed, warp_instructions)), static_cast<int>(stretch));
  cc.bind(met);
  for (std::uint32_t k = n + 1; k < meets; ++k) {
    const Inst& inst = code_.insts[plan_.first + k];
    if (form_of(code_, inst).kind == Kind::store) continue;
    values.erase(inst.d.offset);
    predicates.erase(inst.d.offset);
  }
  values_ = std::move(values);
  predicates_ = std::move(predicates);
  inside_over_ = false;
  return meets;
}

/// What is still needed behind that instruction goes to its row.
void NativeStretch::write_back(std::uint32_t behind_pc) {
  for (const auto& [row, last_use] : held_) {
    if (last_use <= behind_pc) continue;
    if (const auto found = values_.find(row); found != values_.end()) {
      settle(found->second);
      store_row(row, found->second, true);
    } else {
      cc.mov(x86::dword_ptr(rows_, static_cast<int>(row)), predicates_.at(row));
    }
  }
}

Label NativeStretch::leave(std::uint32_t n) {
  load_all_now();
  Exit exit{.label = cc.newLabel(), .executed = n, .all_lanes = full_, .exec = exec_, .values = {}, .predicates = {}};
  for (const auto& [row, last_use] : held_) {
    if (last_use < code_.insts[plan_.first + n].pc) continue;
    if (const auto found = values_.find(row); found != values_.end())
      exit.values.emplace_back(row, found->second);
    else
      exit.predicates.emplace_back(row, predicates_.at(row));
  }
  exits_.push_back(exit);
  return exit.label;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

NativeStretch::Value NativeStretch::value_of(unsigned bytes, bool uniform) {
  Value value;
  value.bytes = bytes;
  value.uniform = uniform;
  value.all_parts = v.parts(bytes);
  for (unsigned n = 0; n < value.parts(); ++n) value.part[n] = v.fresh();
  return value;
}

NativeStretch::Value NativeStretch::load_row(std::uint32_t row, unsigned bytes, bool uniform) {
  const Value value = value_of(bytes, uniform);
  for (unsigned n = 0; n < value.parts(); ++n) {
    if (!uniform)
      v.load(value.part[n], v.at(rows_, row + v.bytes() * n));
    else if (bytes == 4)
      cc.vpbroadcastd(value.part[n], x86::dword_ptr(rows_, static_cast<int>(row)));
    else
      cc.vpbroadcastq(value.part[n], x86::qword_ptr(rows_, static_cast<int>(row)));
  }
  return value;
}

NativeStretch::Value NativeStretch::source(const Inst& inst, const Form& form, unsigned n) {
  const Operand& operand = inst.ptx->operands[inst.ptx->destinations + (form.kind == Kind::store ? 1 : n)];
  const std::uint32_t row = (form.kind == Kind::store ? inst.b : n == 0 ? inst.a : n == 1 ? inst.b : inst.c).offset;
  bool uniform = operand.kind == Operand::Kind::immediate;
  if (operand.kind == Operand::Kind::reg) uniform = is_uniform(operand.index);
  if (operand.kind == Operand::Kind::special) {
    using enum ptx::Special;
    const ptx::Special which = operand.special;
    uniform = which >= ntid_x && which <= nctaid_z;
  }
  return row_value(row, form.source[n], uniform);
}
NativeStretch::Value NativeStretch::row_value(std::uint32_t row, unsigned bytes, bool uniform) {
  if (later_.contains(row)) load_now(row);
  if (const auto found = values_.find(row); found != values_.end()) return found->second;
  return values_[row] = load_row(row, bytes, uniform);
}

Gp NativeStretch::load_predicate(std::uint32_t row) {
  if (const auto found = predicates_.find(row); found != predicates_.end()) return found->second;
  const Gp bits = cc.newGpd();
  cc.mov(bits, x86::dword_ptr(rows_, static_cast<int>(row)));
  return predicates_[row] = bits;
}
Gp NativeStretch::predicate_source(const Inst& inst, unsigned n) {
  return load_predicate((n == 0 ? inst.a : n == 1 ? inst.b : inst.c).offset);
}

NativeStretch::Mask NativeStretch::executing(unsigned bytes, unsigned part) {
  const auto key = std::pair(bytes, part);
  if (const auto found = executing_.find(key); found != executing_.end()) return found->second;
  return executing_[key] = v.mask(v.spread(exec_), bytes, part);
}

void NativeStretch::store_row(std::uint32_t row, const Value& value, bool all_lanes) {
  for (unsigned n = 0; n < value.all_parts; ++n) {
    const Mem at = v.at(rows_, row + v.bytes() * n);
    Vec whole = value.of(n);
    if (!all_lanes) {  // a row is stored whole, or nobody could read it soon (vectors.h)
      whole = v.fresh();
      v.load(whole, at);
      v.blend(whole, value.of(n), executing(value.bytes, n), value.bytes);
    }
    v.store(at, whole);
  }
}

void NativeStretch::keep(const Inst& inst, Value value) {
  const std::uint32_t row = inst.d.offset, last_use = code_.last_use[register_of(inst)];
  if (inst.ptx->guarded) {
    Value before = row_value(row, value.bytes, false);
    if (value.raw != before.raw) settle(value), settle(before);  // not a NaN that was only moved: it keeps its bits
    Gp where = load_predicate(inst.guard.offset);
    if (inst.guard_negated) {
      const Gp flipped = cc.newGpd();
      cc.mov(flipped, where);
      cc.not_(flipped);
      where = flipped;
    }
    const bool raw = value.raw;
    value = select(value, before, where);
    value.raw = raw;
  }
  held_.erase(row);
  later_.erase(row);
  bases_.erase(row);
  if (last_use == ptx::no_pc) {
    settle(value);
    store_row(row, value, full_);
  } else {
    held_[row] = last_use;
  }
  values_[row] = value;
}

void NativeStretch::keep_predicate(const Inst& inst, Gp bits) {
  const std::uint32_t row = inst.d.offset, last_use = code_.last_use[register_of(inst)];
  const Mem at = x86::dword_ptr(rows_, static_cast<int>(row));
  const auto blend = [&](const Gp& fresh, const Gp& before, const Gp& where) {  // before ^ ((fresh ^ before) & where)
    const Gp blended = cc.newGpd();
    cc.mov(blended, fresh);
    cc.xor_(blended, before);
    cc.and_(blended, where);
    cc.xor_(blended, before);
    return blended;
  };
  if (inst.ptx->guarded) {
    Gp where = cc.newGpd();
    cc.mov(where, load_predicate(inst.guard.offset));
    if (inst.guard_negated) cc.not_(where);
    bits = blend(bits, load_predicate(row), where);
  }
  held_.erase(row);
  if (last_use != ptx::no_pc) {
    held_[row] = last_use;
  } else if (full_) {
    cc.mov(at, bits);
  } else {
    const Gp before = cc.newGpd();
    cc.mov(before, at);
    cc.mov(at, blend(bits, before, exec_));
  }
  predicates_[row] = bits;
}

// ---- NaNs -----------------------------------------------------------------------------------------------------------

void NativeStretch::settle(Value& value) {
  if (std::exchange(value.raw, false)) v.settle(value.part.data(), value.parts(), value.bytes);
}
void NativeStretch::settle_always(Value& value) {
  const Value settled = value_of(value.bytes, value.uniform);
  for (unsigned n = 0; n < value.parts(); ++n) v.settle_always(settled.part[n], value.part[n], value.bytes);
  value = settled;
}

}  // namespace warpbook::gpu::vm

#endif
