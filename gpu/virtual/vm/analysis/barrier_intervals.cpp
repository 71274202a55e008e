#include "gpu/virtual/vm/analysis/barrier_intervals.h"

#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu::vm {
namespace {

bool may_store_to_shared(const ptx::Function& kernel, const ptx::Instruction& i) {
  using ptx::Effect;
  using ptx::Space;
  const Effect effect = ptx::row(i.op).effect;
  if (effect == Effect::call || i.op == ptx::Opcode::cp_async || ptx::has(i.op, ptx::trait::mbarrier)) return true;
  if (i.op == ptx::Opcode::ret && !kernel.entry) return true;  // whatever the caller does
  return (effect == Effect::store || effect == Effect::atomic) && (i.space == Space::shared || i.space == Space::generic);
}

}  // namespace

bool is_plain_barrier(const ptx::Instruction& inst) {
  return (inst.op == ptx::Opcode::bar || inst.op == ptx::Opcode::barrier) && inst.barrier == ptx::Barrier::sync && !inst.guarded &&
         inst.operands.size() == 1 && inst.operands[0].kind == ptx::Operand::Kind::immediate &&
         inst.operands[0].bits < named_barriers;
}

bool barriers_separate_shared_accesses(const ptx::Function& kernel) {
  using ptx::Effect;
  // What may have been done to shared memory since the last barrier, before each instruction.
  enum Done : std::uint8_t { stored = 1, loaded = 2, loaded_last_turn = 4 };
  std::vector<std::uint8_t> done(kernel.code.size() + 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      const ptx::Instruction& i = kernel.code[pc];
      const Effect effect = ptx::row(i.op).effect;
      std::uint8_t now = done[pc];
      if (effect == Effect::barrier) now = 0;
      if (i.space == ptx::Space::shared && effect == Effect::load) {
        if (now & stored) return false;
        now |= loaded;
      } else if (i.space == ptx::Space::shared && (effect == Effect::store || effect == Effect::atomic)) {
        if (effect == Effect::store && now & loaded_last_turn) return false;
        now |= stored;
      }
      const auto reach = [&](std::uint32_t to) {
        const std::uint8_t there = done[to] | now | (to <= pc && now & loaded ? loaded_last_turn : 0);
        changed |= there != done[to];
        done[to] = there;
      };
      if (i.op == ptx::Opcode::bra) reach(i.operands[0].index);
      if (i.op == ptx::Opcode::brx)
        for (const std::uint32_t target : kernel.branch_targets[i.operands[1].index]) reach(target);
      if (i.guarded || (effect != Effect::branch && effect != Effect::exit)) reach(pc + 1);
    }
  }
  return true;
}

std::vector<bool> only_reads_shared_after(const ptx::Function& kernel) {
  const auto size = static_cast<std::uint32_t>(kernel.code.size());
  std::vector<bool> found(size), stores(size);  // stores: from here on, up to the next barrier, there may be one
  std::vector<std::vector<std::uint32_t>> before(size);
  std::vector<std::uint32_t> work;
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    const ptx::Instruction& i = kernel.code[pc];
    if (may_store_to_shared(kernel, i)) {
      stores[pc] = true;
      work.push_back(pc);
    }
    if (is_plain_barrier(i)) continue;  // what is behind it counts from there
    const auto edge = [&](std::uint32_t to) {
      if (to < size) before[to].push_back(pc);
    };
    if (i.op == ptx::Opcode::bra) edge(i.operands[0].index);
    if (i.op == ptx::Opcode::brx)
      for (const std::uint32_t target : kernel.branch_targets[i.operands[1].index]) edge(target);
    const ptx::Effect effect = ptx::row(i.op).effect;
    if (i.guarded || (effect != ptx::Effect::branch && effect != ptx::Effect::exit)) edge(pc + 1);
  }
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    for (const std::uint32_t pc : before[at]) {
      if (stores[pc]) continue;
      stores[pc] = true;
      work.push_back(pc);
    }
  }
  for (std::uint32_t pc = 0; pc < size; ++pc) found[pc] = is_plain_barrier(kernel.code[pc]) && (pc + 1 == size || !stores[pc + 1]);
  return found;
}

}  // namespace warpbook::gpu::vm
