#include "gpu/virtual/vm/analysis/call_graph.h"

#include <utility>

namespace warpbook::gpu::vm {

using ptx::Function;
using ptx::Instruction;
using ptx::Module;
using ptx::Opcode;
using ptx::Operand;

std::vector<std::uint32_t> reachable(const Module& module, const Function& kernel) {
  std::vector<std::uint32_t> found{static_cast<std::uint32_t>(&kernel - module.functions.data())};
  std::vector<bool> seen(module.functions.size());
  seen[found[0]] = true;
  const auto reach = [&](std::uint32_t f) {
    if (seen[f] || module.functions[f].declaration) return;
    seen[f] = true;
    found.push_back(f);
  };
  bool any = false;  // an indirect call was met: all functions are reached
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const Instruction& inst : module.functions[found[i]].code) {
      if (inst.op != Opcode::call) continue;
      const Operand& target = inst.operands[inst.call_results];
      if (target.kind == Operand::Kind::function) {
        reach(target.index);
      } else if (!std::exchange(any, true)) {
        for (std::uint32_t f = 0; f < module.functions.size(); ++f)
          if (!module.functions[f].entry) reach(f);
      }
    }
  return found;
}

}  // namespace warpbook::gpu::vm
