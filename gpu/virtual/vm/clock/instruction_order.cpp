#include "gpu/virtual/vm/clock/instruction_order.h"

#include <algorithm>
#include <vector>

#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Opcode;

/// Loads in a batch: each holds registers until it is used. Inferred: ptxas unrolls and batches loops by four to sixteen.
constexpr unsigned batch_loads = 8;

bool is_load(const Inst& inst) { return inst.ptx->op == Opcode::ld || inst.ptx->op == Opcode::ldu; }

/// May change places with its neighbours, as far as registers allow.
bool may_move(const Inst& inst) {
  if (inst.pseudo || inst.flow != Flow::plain || !inst.ptx) return false;
  const ptx::Instruction& p = *inst.ptx;
  if (p.carry_out || ptx::has(p.op, ptx::trait::carry | ptx::trait::stack)) return false;
  for (const ptx::Operand& operand : p.operands)
    if (operand.kind == ptx::Operand::Kind::special &&
        (operand.special == ptx::Special::clock || operand.special == ptx::Special::clock64 ||
         operand.special == ptx::Special::clock_hi || operand.special == ptx::Special::globaltimer ||
         operand.special == ptx::Special::globaltimer_lo || operand.special == ptx::Special::globaltimer_hi))
      return false;
  switch (ptx::row(p.op).effect) {
    case ptx::Effect::none:
      return true;
    case ptx::Effect::load:
      return is_load(inst) && p.order == ptx::Order::weak && p.space != ptx::Space::local && p.space != ptx::Space::generic;
    default:
      return false;
  }
}

class Batch {
 public:
  explicit Batch(Code& code) : code_(code) {}

  /// [first, last) of the code: all may move.
  void arrange(std::size_t first, std::size_t last) {
    const std::size_t count = last - first;
    if (count < 3) return;
    first_ = first;
    early_.assign(count, false);
    for (std::size_t i = count; i-- > 0;) {
      if (is_load(code_.insts[first + i])) early_[i] = true;
      if (!early_[i]) continue;
      for (std::size_t before = i; before-- > 0;)
        if (!early_[before] && depends(before, i)) early_[before] = true;
    }
    order_.clear();
    for (const bool early : {true, false})
      for (std::size_t i = 0; i < count; ++i)
        if (early_[i] == early) order_.push_back(i);
    insts_.clear();
    scores_.clear();
    for (const std::size_t i : order_) {
      insts_.push_back(code_.insts[first + i]);
      scores_.push_back(code_.scoreboard[first + i]);
    }
    std::copy(insts_.begin(), insts_.end(), code_.insts.begin() + static_cast<std::ptrdiff_t>(first));
    std::copy(scores_.begin(), scores_.end(), code_.scoreboard.begin() + static_cast<std::ptrdiff_t>(first));
  }

 private:
  /// `after` must stay behind `before`: it reads what that writes, or writes what that reads or writes.
  [[nodiscard]] bool depends(std::size_t before, std::size_t after) const {
    const Extra& a = code_.extras[code_.scoreboard[first_ + before]];
    const Extra& b = code_.extras[code_.scoreboard[first_ + after]];
    const auto meet = [](const std::vector<std::uint16_t>& x, const std::vector<std::uint16_t>& y) {
      return std::any_of(x.begin(), x.end(), [&](std::uint16_t r) { return std::find(y.begin(), y.end(), r) != y.end(); });
    };
    return meet(a.writes, b.reads) || meet(a.writes, b.writes) || meet(a.reads, b.writes);
  }

  Code& code_;
  std::size_t first_ = 0;
  std::vector<bool> early_;
  std::vector<std::size_t> order_;
  std::vector<Inst> insts_;
  std::vector<std::uint32_t> scores_;
};

}  // namespace

void issue_loads_early(Code& code) {
  Batch batch(code);
  const auto& leader = code.function->is_leader;
  const auto starts_block = [&](const Inst& inst) { return inst.pseudo || (inst.pc < leader.size() && leader[inst.pc]); };
  std::size_t first = 0;
  unsigned loads = 0;
  const auto close = [&](std::size_t last) {
    batch.arrange(first, last);
    loads = 0;
  };
  for (std::size_t i = 0; i < code.insts.size(); ++i) {
    const Inst& inst = code.insts[i];
    if (starts_block(inst)) {
      close(i);
      first = i;
    }
    if (!may_move(inst)) {
      if (first < i) close(i);
      loads = 0;
      first = i + 1;
      continue;
    }
    if (is_load(inst) && inst.ptx->space != ptx::Space::param && ++loads > batch_loads) {
      close(i);
      first = i;
      loads = 1;
    }
  }
  if (first < code.insts.size()) close(code.insts.size());
}

}  // namespace warpbook::gpu::vm
