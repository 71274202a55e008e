#include "gpu/virtual/vm/analysis/atomics.h"

#include <algorithm>

namespace warpbook::gpu::vm {

using ptx::AtomicOp;
using ptx::Opcode;
using ptx::Space;

bool is_plain_add(const ptx::Instruction& p) {
  return p.atomic == AtomicOp::add && !ptx::is_float(p.type) && ptx::bytes_of(p.type) == 4;
}

bool is_read(const ptx::Function& function, const ptx::Operand& destination) {
  if (destination.kind != ptx::Operand::Kind::reg) return false;
  const auto reads = [&](const ptx::Operand& operand, const auto& self) -> bool {
    const bool names = operand.kind == ptx::Operand::Kind::reg ||
                       (operand.kind == ptx::Operand::Kind::address && operand.base == ptx::Operand::Base::reg);
    return (names && operand.index == destination.index) ||
           std::any_of(operand.elements.begin(), operand.elements.end(), [&](const auto& element) { return self(element, self); });
  };
  return std::any_of(function.code.begin(), function.code.end(), [&](const ptx::Instruction& inst) {
    return (inst.guarded && inst.guard == destination.index) ||
           std::any_of(inst.operands.begin() + std::max(inst.destinations, inst.call_results), inst.operands.end(),
                       [&](const ptx::Operand& operand) { return reads(operand, reads); });
  });
}

bool adds_unread(const ptx::Function& function, const ptx::Instruction& inst) {
  const bool atom = inst.op == Opcode::atom;
  return (atom || inst.op == Opcode::red) && inst.vector == 1 && is_plain_add(inst) &&
         (inst.space == Space::shared || inst.space == Space::global || inst.space == Space::generic) &&
         !(atom && is_read(function, inst.operands[0]));
}

bool may_delay_adds(const ptx::Module& module, const std::vector<std::uint32_t>& functions) {
  for (const std::uint32_t f : functions)
    for (const ptx::Instruction& inst : module.functions[f].code) switch (inst.op) {
        case Opcode::membar:
        case Opcode::fence:
          return false;
        case Opcode::ld:
        case Opcode::st:
          if (inst.order != ptx::Order::weak) return false;
          break;
        case Opcode::atom:
        case Opcode::red: {
          if (inst.space == Space::shared) break;
          if (!adds_unread(module.functions[f], inst) || inst.order > ptx::Order::relaxed) return false;
          break;
        }
        default:
          break;
      }
  return true;
}

}  // namespace warpbook::gpu::vm
