// FrameRows: the layout of a function's frame. The constructor lays out registers and local variables; rows for constants and
// special registers are added as the decoder asks for them.
//
//     FrameRows rows(module, function, layout, code);
//     inst.a = rows.row(operand, 4, Type::u32);
//
// Writes Code's layout fields (register_bytes, constants, specials, frame_bytes, parameters); keeps references to all it is given.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "gpu/virtual/vm/code/code.h"

namespace warpbook::gpu::vm {

class FrameRows {
 public:
  /// row_of: by register, the register whose row it shares; empty: each has a row of its own.
  FrameRows(const ptx::Module& module, const ptx::Function& function, const Layout& layout, Code& code,
            const std::vector<std::uint32_t>& row_of);

  /// The row of a register, an immediate, a special register or an address that is fixed at launch. bytes, type: what the
  /// instruction expects; a register has a width and a type of its own.
  Row row(const ptx::Operand& operand, unsigned bytes, ptx::Type type);
  [[nodiscard]] Row register_row(std::uint32_t index) const { return {register_offsets_[index]}; }
  Row constant(std::uint64_t bits, unsigned bytes);  // in all lanes
  Row new_row(unsigned bytes);                       // of zeros

  /// A variable's guest address, or, where in_frame(), its offset in the frame.
  [[nodiscard]] std::uint64_t address_of(const ptx::Operand& variable) const;
  [[nodiscard]] bool in_frame(const ptx::Operand& variable) const;

  [[nodiscard]] std::uint8_t width_of(const ptx::Operand& operand) const;  // bytes of its register; 0: none, or a predicate
  [[nodiscard]] unsigned width_of_register(std::uint32_t index) const;

 private:
  void lay_out_variables();
  void lay_out_registers(const std::vector<std::uint32_t>& row_of);
  Row special(ptx::Special which);

  const ptx::Module& module_;
  const ptx::Function& function_;
  const Layout& layout_;
  Code& code_;
  std::vector<std::uint32_t> register_offsets_, variable_offsets_, result_offsets_;
  std::map<std::pair<std::uint64_t, unsigned>, Row> constants_;  // by value and bytes
};

}  // namespace warpbook::gpu::vm
