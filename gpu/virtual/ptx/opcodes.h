// The opcode table, readable: what a row of opcodes.def says, how an opcode's text becomes an Instruction's fields, and back.
//
//     row(instruction.op).effect == Effect::load
//     has(instruction.op, trait::carry | trait::stack)
//     auto decoded = decode_opcode("ld.global.nc.v4.f32");        // fields without operands, and the operand shapes it may have
//     opcode_text(decoded->instruction) == "ld.global.nc.v4.f32"
//
// The table is compiled once, on first use; it lives as long as the program. Errors name the text and what is wrong with it, but
// not the PTX line, which the caller knows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::ptx {

enum class Effect : std::uint8_t { none, load, store, atomic, barrier, branch, call, exit, warp, fence, hint };

/// A set of traits: opcodes.def says what each means.
using Traits = std::uint8_t;
namespace trait {
inline constexpr Traits carry = 1, stack = 2, meeting = 4, mbarrier = 8, mbarrier_wait = 16, flop = 32, two_flops = 64,
                        texture = 128;
}

/// A row as it is written; see opcodes.def for the columns.
struct OpcodeRow {
  Opcode op{};
  std::string_view spelling, shape, types, modifiers;
  Effect effect = Effect::none;
  Traits traits = 0;
};

[[nodiscard]] std::span<const OpcodeRow> opcode_table();
[[nodiscard]] const OpcodeRow& row(Opcode op);
[[nodiscard]] inline bool has(Opcode op, Traits any_of) { return (row(op).traits & any_of) != 0; }

/// One operand that a shape asks for.
struct OperandShape {
  enum class Kind : std::uint8_t {
    type,
    type2,
    wide,
    at_least_type,
    at_least_type2,
    value,
    move,
    address_value,
    any_address,
    memory,
    integer,
    float32,
    label,
    table,
    call,
    pred,
    u32,
    u64,
    coordinates
  };
  Kind kind = Kind::type;
  bool destination = false, may_sink = false, optional = false;
  bool pair = false, pair_optional = false;  // "=X|pred", "=X|pred?"
};
using Shape = std::vector<OperandShape>;

/// An opcode's text, understood.
struct DecodedOpcode {
  Instruction instruction;           // everything but guard, operands and positions
  std::vector<const Shape*> shapes;  // the alternatives that its suffixes leave; owned by the table
  bool cache_policy = false;         // ".L2::cache_hint": one more operand follows, which is a hint
};

[[nodiscard]] Result<DecodedOpcode> decode_opcode(std::string_view text);

/// The canonical text: modifiers in the table's order, hints left out.
[[nodiscard]] std::string opcode_text(const Instruction& instruction);

[[nodiscard]] std::string_view name_of(Special special);  // "%tid.x"; envreg without its number
[[nodiscard]] bool special_of(std::string_view name, Special& special, std::uint32_t& index);  // false: not known
[[nodiscard]] Type type_of(std::string_view name);  // "f32" without the dot; Type::none: not a type

}  // namespace warpbook::gpu::ptx
