// Where the shared variables lie that a kernel reaches.
#include <algorithm>

#include "gpu/virtual/vm/analysis/call_graph.h"
#include "gpu/virtual/vm/code/code.h"

namespace warpbook::gpu::vm {

using ptx::Function;
using ptx::Instruction;
using ptx::Module;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Variable;

namespace {

void for_each_variable(const Operand& operand, const auto& visit) {
  if (operand.kind == Operand::Kind::variable ||
      (operand.kind == Operand::Kind::address && operand.base == Operand::Base::variable))
    visit(operand.variable);
  for (const Operand& element : operand.elements) for_each_variable(element, visit);
}

}  // namespace

Layout lay_out_shared(const Module& module, const Function& kernel) {
  Layout layout;
  layout.globals.assign(module.globals.size(), 0);
  layout.function_shared.resize(module.functions.size());
  std::uint32_t offset = 0;
  std::vector<std::uint64_t*> dynamic;
  std::uint32_t dynamic_align = 16;
  std::string dynamic_name;
  unsigned dynamic_element = 4;
  const auto place = [&](const Variable& variable, std::uint64_t& where) {
    const unsigned element = std::max(1u, ptx::bytes_of(variable.type));
    if (variable.size == 0) {
      dynamic.push_back(&where);
      dynamic_align = std::max(dynamic_align, variable.align);
      dynamic_name = variable.name;
      dynamic_element = element;
      return;
    }
    offset = align_up(offset, std::max(1u, variable.align));
    where = offset;
    layout.shared_variables.push_back({variable.name, offset, static_cast<std::uint32_t>(variable.size), element, false});
    offset += static_cast<std::uint32_t>(variable.size);
  };
  std::vector<bool> placed(module.globals.size());
  for (const std::uint32_t f : reachable(module, kernel)) {
    const Function& function = module.functions[f];
    layout.function_shared[f].assign(function.variables.size(), 0);
    for (std::size_t v = 0; v < function.variables.size(); ++v)
      if (function.variables[v].space == Space::shared) place(function.variables[v], layout.function_shared[f][v]);
    for (const Instruction& inst : function.code)
      for (const Operand& operand : inst.operands) {
        if (operand.kind == Operand::Kind::special && operand.special >= ptx::Special::aggr_smem_size &&
            operand.special <= ptx::Special::reserved_smem_1)
          layout.uses_reserved_shared = true;
        for_each_variable(operand, [&](const Operand::VariableRef& ref) {
          if (ref.where != Operand::VariableRef::Where::module || placed[ref.index]) return;
          if (module.globals[ref.index].space != Space::shared) return;
          placed[ref.index] = true;
          place(module.globals[ref.index], layout.globals[ref.index]);
        });
      }
  }
  layout.static_shared_bytes = offset;
  layout.dynamic_shared_offset = align_up(offset, dynamic_align);
  for (std::uint64_t* where : dynamic) *where = layout.dynamic_shared_offset;
  if (!dynamic.empty()) layout.shared_variables.push_back({dynamic_name, layout.dynamic_shared_offset, 0, dynamic_element, true});
  return layout;
}

}  // namespace warpbook::gpu::vm
