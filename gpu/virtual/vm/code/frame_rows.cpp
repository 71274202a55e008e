#include "gpu/virtual/vm/code/frame_rows.h"

#include <algorithm>
#include <cstring>

#include "gpu/virtual/vm/memory/memory.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;
using ptx::Variable;

std::uint64_t immediate_bits(const Operand& operand, Type wanted) {
  if (wanted == Type::f32 && operand.type == Type::f64) {
    double wide;
    std::memcpy(&wide, &operand.bits, 8);
    const auto narrow = static_cast<float>(wide);
    std::uint32_t bits;
    std::memcpy(&bits, &narrow, 4);
    return bits;
  }
  if (wanted == Type::f64 && operand.type == Type::f32) {
    float narrow;
    std::memcpy(&narrow, &operand.bits, 4);
    const double wide = narrow;
    std::uint64_t bits;
    std::memcpy(&bits, &wide, 8);
    return bits;
  }
  return operand.bits;
}

}  // namespace

FrameRows::FrameRows(const ptx::Module& module, const ptx::Function& function, const Layout& layout, Code& code,
                     const std::vector<std::uint32_t>& row_of)
    : module_(module), function_(function), layout_(layout), code_(code) {
  lay_out_variables();
  lay_out_registers(row_of);
}

void FrameRows::lay_out_variables() {
  // Kernel parameters lie in the launch's parameter buffer, everything else of this kind in each lane's local memory. No launch has
  // room for more than a fraction of what 32 bits can say.
  constexpr std::uint32_t too_many = 1u << 31;  // aligned to whatever there is
  std::uint32_t offset = 0;
  const auto add = [&](std::uint64_t bytes) {
    offset = static_cast<std::uint32_t>(std::min<std::uint64_t>(offset + bytes, too_many));
  };
  for (const Variable& parameter : function_.parameters) {
    offset = align_up(offset, std::max(1u, parameter.align));
    code_.parameter_offsets.push_back(offset);
    add(parameter.size);
  }
  if (function_.entry) {
    code_.parameter_bytes = offset;
    offset = 0;
  }
  for (const Variable& result : function_.results) {
    offset = align_up(offset, std::max(1u, result.align));
    result_offsets_.push_back(offset);
    add(result.size);
  }
  for (const Variable& variable : function_.variables) {
    if (variable.space == Space::local || variable.space == Space::param) {
      offset = align_up(offset, std::max(1u, variable.align));
      variable_offsets_.push_back(offset);
      add(variable.size);
    } else {
      variable_offsets_.push_back(0);
    }
  }
  for (const std::vector<Variable>* const list : {&function_.parameters, &function_.results, &function_.variables})
    for (const Variable& variable : *list) code_.frame_align = std::max(code_.frame_align, variable.align);
  code_.frame_bytes = align_up(offset, 16);
}

void FrameRows::lay_out_registers(const std::vector<std::uint32_t>& row_of) {
  std::uint32_t offset = 0;
  // Wide rows first keeps every row aligned to 64 bytes without padding.
  register_offsets_.resize(function_.registers.size());
  for (const unsigned width : {16u, 8u, 4u, 2u, 1u, 0u})
    for (std::size_t r = 0; r < function_.registers.size(); ++r) {
      const Type type = function_.registers[r].type;
      if ((type == Type::pred ? 0u : ptx::bytes_of(type)) != width) continue;
      if (!row_of.empty() && row_of[r] != r) continue;
      register_offsets_[r] = offset;
      offset += width ? width * lanes : 4;
    }
  for (std::size_t r = 0; r < row_of.size(); ++r) register_offsets_[r] = register_offsets_[row_of[r]];
  code_.register_bytes = align_up(std::max(offset, 64u), 64);
  for (const std::uint32_t at : register_offsets_) code_.registers.push_back({at});
}

Row FrameRows::new_row(unsigned bytes) {
  const auto offset = static_cast<std::uint32_t>(code_.constants.size());
  code_.constants.resize(offset + std::max(64u, bytes * lanes));
  return {code_.register_bytes + offset};
}

Row FrameRows::constant(std::uint64_t bits, unsigned bytes) {
  const auto key = std::pair{bits, bytes};
  if (const auto found = constants_.find(key); found != constants_.end()) return found->second;
  const Row row = new_row(bytes);
  std::byte* values = &code_.constants[row.offset - code_.register_bytes];
  for (std::uint32_t l = 0; l < lanes; ++l) std::memcpy(values + l * bytes, &bits, std::min(bytes, 8u));
  return constants_[key] = row;
}

Row FrameRows::special(ptx::Special which) {
  for (const auto& [known, row] : code_.specials)
    if (known == which) return row;
  return code_.specials.emplace_back(which, new_row(4)).second;
}

std::uint64_t FrameRows::address_of(const Operand& operand) const {
  using Where = Operand::VariableRef::Where;
  const auto& ref = operand.variable;
  const std::uint64_t extra = static_cast<std::uint64_t>(operand.offset);
  switch (ref.where) {
    case Where::module:
      return layout_.globals[ref.index] + extra;
    case Where::parameter:
      return (function_.entry ? layout_.parameters : 0) + code_.parameter_offsets[ref.index] + extra;
    case Where::result:
      return result_offsets_[ref.index] + extra;
    case Where::function:
      break;
  }
  const auto which = static_cast<std::size_t>(&function_ - module_.functions.data());
  if (function_.variables[ref.index].space == Space::shared) return layout_.function_shared[which][ref.index] + extra;
  return variable_offsets_[ref.index] + extra;
}

bool FrameRows::in_frame(const Operand& operand) const {
  using Where = Operand::VariableRef::Where;
  const auto& ref = operand.variable;
  if (ref.where == Where::module) return false;
  if (ref.where == Where::parameter) return !function_.entry;
  if (ref.where == Where::result) return true;
  const Space space = function_.variables[ref.index].space;
  return space == Space::local || space == Space::param;
}

Row FrameRows::row(const Operand& operand, unsigned bytes, Type type) {
  switch (operand.kind) {
    case Operand::Kind::reg:
      return register_row(operand.index);
    case Operand::Kind::special:
      return special(operand.special);
    case Operand::Kind::variable:
      return constant(address_of(operand), bytes);
    case Operand::Kind::function:
      return constant(function_window + std::uint64_t{operand.index} * 16, bytes);
    case Operand::Kind::immediate:
      if (type == Type::pred) return constant(operand.bits != 0 ? 0xffffffffu : 0u, 4);
      return constant(bytes >= 8 ? immediate_bits(operand, type) : immediate_bits(operand, type) & ((1ull << (8 * bytes)) - 1),
                      bytes);
    default:
      return {};
  }
}

std::uint8_t FrameRows::width_of(const Operand& operand) const {
  if (operand.kind != Operand::Kind::reg) return 0;
  const Type type = function_.registers[operand.index].type;
  return static_cast<std::uint8_t>(type == Type::pred ? 0 : ptx::bytes_of(type));
}

unsigned FrameRows::width_of_register(std::uint32_t index) const { return ptx::bytes_of(function_.registers[index].type); }

}  // namespace warpbook::gpu::vm
