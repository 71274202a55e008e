#include "gpu/virtual/vm/analysis/spin_loops.h"

#include <algorithm>
#include <vector>

namespace warpbook::gpu::vm {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

constexpr std::uint32_t longest_loop = 64;  // instructions

bool looks(const Instruction& inst) {
  if (inst.op == Opcode::ld) return inst.order != ptx::Order::weak;
  if (inst.op != Opcode::atom) return false;
  if (inst.atomic == ptx::AtomicOp::cas || inst.atomic == ptx::AtomicOp::exch) return true;
  const Operand& by = inst.operands.back();
  return by.kind == Operand::Kind::immediate && by.bits == 0;
}

bool any_register(const Operand& operand, const auto& is) {
  if (operand.kind == Operand::Kind::reg && is(operand.index)) return true;
  return std::ranges::any_of(operand.elements, [&](const Operand& element) { return any_register(element, is); });
}

}  // namespace

bool is_spin_loop(const ptx::Function& function, std::uint32_t target, std::uint32_t pc) {
  if (target > pc || pc - target >= longest_loop) return false;
  std::vector<std::uint32_t> seen;  // registers that hold what was seen, or what came of it
  const auto is_seen = [&](std::uint32_t r) { return std::ranges::find(seen, r) != seen.end(); };
  const auto see = [&](std::uint32_t r) {
    if (!is_seen(r)) seen.push_back(r);
    return false;
  };
  for (int round = 0; round < 2; ++round)  // what the last instructions of a loop see, the first ones of its next round use
    for (std::uint32_t at = target; at <= pc; ++at) {
      const Instruction& inst = function.code[at];
      if (inst.op == Opcode::bra && inst.guarded && is_seen(inst.guard)) {
        const std::uint32_t to = inst.operands[0].index;
        if (at == pc || to < target || to > pc) return true;
      }
      const auto sources = inst.operands.begin() + inst.destinations;
      const bool memory = inst.op == Opcode::ld || inst.op == Opcode::atom || inst.op == Opcode::call;
      const auto holds_seen = [&](const Operand& source) { return any_register(source, is_seen); };
      if (looks(inst) || (!memory && std::any_of(sources, inst.operands.end(), holds_seen)))
        std::for_each(inst.operands.begin(), sources, [&](const Operand& result) { (void)any_register(result, see); });
    }
  return false;
}

}  // namespace warpbook::gpu::vm
