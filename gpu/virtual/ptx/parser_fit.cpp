// Whether an instruction's operands fit the table's shape.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "gpu/shown_text.h"
#include "gpu/virtual/ptx/parser_impl.h"

namespace warpbook::gpu::ptx {
namespace {

/// 64-bit special registers; the others have 32 bits. %gridid may be read either way.
bool special_has_bytes(Special special, unsigned bytes) {
  if (special == Special::gridid_lo) return bytes == 4 || bytes == 8;
  return bytes == (special == Special::clock64 || special == Special::globaltimer || special == Special::graph_exec ? 8U : 4U);
}

/// Only these take "!%p" as their last source.
bool may_negate(Opcode op) {
  return op == Opcode::set || op == Opcode::setp || op == Opcode::vote || op == Opcode::bar || op == Opcode::barrier ||
         op == Opcode::lop3;
}

}  // namespace

std::string_view kind_in_words(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::none:
      return "nothing";
    case Operand::Kind::reg:
      return "a register";
    case Operand::Kind::immediate:
      return is_float(operand.type) ? "a floating-point constant" : "a constant";
    case Operand::Kind::special:
      return "a special register";
    case Operand::Kind::address:
      return "an address in brackets";
    case Operand::Kind::variable:
      return "a variable";
    case Operand::Kind::function:
      return "a function";
    case Operand::Kind::label:
      return "a label";
    case Operand::Kind::vector:
      return "a vector in braces";
    case Operand::Kind::sink:
      return "'_'";
  }
  return "";
}

const Variable& Parser::variable_of(const Operand::VariableRef& ref) const {
  switch (ref.where) {
    case Operand::VariableRef::Where::module:
      return module_.globals[ref.index];
    case Operand::VariableRef::Where::function:
      return function_->variables[ref.index];
    case Operand::VariableRef::Where::parameter:
      return function_->parameters[ref.index];
    case Operand::VariableRef::Where::result:
      return function_->results[ref.index];
  }
  return module_.globals[ref.index];
}

bool Parser::fit(Instruction& i, const Shape& shape, std::uint64_t pairs, std::string& why) {
  std::size_t at = 0;
  std::size_t most = 0, least = 0;
  for (const OperandShape& wanted : shape) {
    most += wanted.pair ? 2 : 1;
    least += wanted.optional ? 0 : wanted.pair && !wanted.pair_optional ? 2 : 1;
  }
  if (i.operands.size() > most || i.operands.size() < least) {
    why = least == most ? fmt::format("it takes {} operands, here are {}", most, i.operands.size())
                        : fmt::format("it takes {} to {} operands, here are {}", least, most, i.operands.size());
    return false;
  }
  i.destinations = 0;
  i.second_destination = false;
  for (const OperandShape& wanted : shape) {
    if (at == i.operands.size()) {
      if (wanted.optional) continue;
      why = "an operand is missing";
      return false;
    }
    const bool is_pair = pairs >> at & 1;
    if (is_pair && !wanted.pair) {
      why = "'|' is not expected here";
      return false;
    }
    if (!is_pair && wanted.pair && !wanted.pair_optional) {
      why = "two destinations, 'a|b', are needed";
      return false;
    }
    if (i.operands[at].kind == Operand::Kind::sink && wanted.destination && is_pair) {
      // "_|%p": of a pair either may be unwanted
    } else if (!fit_operand(i, wanted, i.operands[at], why)) {
      return false;
    }
    ++at;
    if (wanted.destination) ++i.destinations;
    if (!is_pair) continue;
    i.second_destination = true;
    ++i.destinations;
    Operand& second = i.operands[at++];
    if (second.kind != Operand::Kind::sink && (second.kind != Operand::Kind::reg || second.type != Type::pred || second.negated)) {
      why = "the second destination must be a predicate register";
      return false;
    }
  }
  if (at == i.operands.size()) return true;
  why = fmt::format("it takes {} operands, here are {}", at, i.operands.size());
  return false;
}

/// One value, or as many in braces as the instruction's .v2 or .v4 says.
bool Parser::fit_vector(const Instruction& i, bool destination, Operand& operand, std::string& why) {
  if (i.vector == 1 && operand.kind == Operand::Kind::vector && operand.elements.size() == 1) {
    Operand only = std::move(operand.elements.front());
    operand = std::move(only);
  }
  if (operand.kind != Operand::Kind::vector) {
    if (i.vector == 1) return fit_value(i, i.type, true, operand, why);
    why = fmt::format("'.v{}' needs {} registers in braces", i.vector, i.vector);
    return false;
  }
  if (operand.elements.size() != i.vector || i.vector == 1) {
    why = fmt::format("a vector of {} does not fit '.v{}'", operand.elements.size(), i.vector);
    return false;
  }
  for (Operand& element : operand.elements) {
    if (destination && element.kind == Operand::Kind::sink) continue;
    if (destination && element.kind != Operand::Kind::reg) {
      why = fmt::format("the destination must be a register, not {}", kind_in_words(element));
      return false;
    }
    if (!fit_value(i, i.type, true, element, why)) return false;
  }
  return true;
}

/// The address of a variable, as cvta and mapa take it.
bool Parser::fit_variable_address(const Instruction& i, const Operand& operand, std::string& why) const {
  if (i.op == Opcode::mapa) return true;
  if (!i.to && variable_of(operand.variable).space == i.space) return true;
  why = fmt::format("'{}' is not in the space .{}", variable_of(operand.variable).name, name_of(i.space));
  return false;
}

bool Parser::fit_operand(Instruction& i, const OperandShape& shape, Operand& operand, std::string& why) {
  using Kind = OperandShape::Kind;
  if (operand.kind == Operand::Kind::variable && operand.base == Operand::Base::variable) {  // name[3]
    if (shape.kind == Kind::memory)
      operand.kind = Operand::Kind::address;
    else
      operand.base = Operand::Base::none;
  }
  if (shape.destination) {
    if (operand.kind == Operand::Kind::sink && shape.may_sink) return true;
    const bool vector = operand.kind == Operand::Kind::vector && (shape.kind == Kind::value || shape.kind == Kind::move);
    if ((operand.kind != Operand::Kind::reg && !vector) || operand.negated) {
      why = fmt::format("the destination must be a register, not {}", kind_in_words(operand));
      return false;
    }
  } else if (operand.negated && !(shape.kind == Kind::pred && may_negate(i.op))) {
    why = "'!' is not expected here";
    return false;
  }
  static constexpr Type wider[] = {Type::none, Type::u16, Type::u32, Type::none, Type::u64};
  switch (shape.kind) {
    case Kind::type:
      return fit_value(i, i.type, false, operand, why);
    case Kind::type2:
      return fit_value(i, i.type2, false, operand, why);
    case Kind::at_least_type:
      return fit_value(i, i.type, true, operand, why);
    case Kind::at_least_type2:
      return fit_value(i, i.type2, true, operand, why);
    case Kind::wide:
      return fit_value(i, wider[std::min(bytes_of(i.type), 4U)], false, operand, why);
    case Kind::pred:
      return fit_value(i, Type::pred, false, operand, why);
    case Kind::u32:
      return fit_value(i, Type::u32, false, operand, why);
    case Kind::u64:
      return fit_value(i, Type::u64, false, operand, why);
    case Kind::value:
      return fit_vector(i, shape.destination, operand, why);
    case Kind::move:
      return fit_move(i, shape.destination, operand, why);
    case Kind::address_value:
      return operand.kind == Operand::Kind::variable ? fit_variable_address(i, operand, why)
                                                     : fit_value(i, i.type, false, operand, why);
    case Kind::any_address:
      if (operand.kind == Operand::Kind::reg && operand.type != Type::pred && bytes_of(operand.type) >= 4) return true;
      if (operand.kind == Operand::Kind::variable) return true;
      why = "an address is expected";
      return false;
    case Kind::memory:
      return fit_memory(i, operand, why);
    case Kind::integer:
      if (operand.kind == Operand::Kind::immediate && !is_float(operand.type)) return true;
      why = "a whole-number constant is expected";
      return false;
    case Kind::float32:
      if (operand.kind == Operand::Kind::immediate && is_float(operand.type)) return true;
      why = "a floating-point constant is expected";
      return false;
    case Kind::coordinates:
      return fit_coordinates(i, operand, why);
    case Kind::label:
    case Kind::table:
    case Kind::call:
      break;  // read by parse_branch and parse_call
  }
  why = "this operand is not known";
  return false;
}

/// A single coordinate may stand without braces, and becomes a vector of one.
bool Parser::fit_coordinates(const Instruction& i, Operand& operand, std::string& why) {
  static constexpr std::size_t counts[] = {0, 1, 2, 4, 2, 4, 4, 4};  // by Geometry
  const std::size_t count = counts[static_cast<std::size_t>(i.geometry)];
  if (operand.kind != Operand::Kind::vector) {
    Operand only = std::move(operand);
    operand = {};
    operand.kind = Operand::Kind::vector;
    operand.elements.push_back(std::move(only));
  }
  if (operand.elements.size() != count) {
    why = fmt::format("it takes {} coordinates, here are {}", count, operand.elements.size());
    return false;
  }
  for (Operand& element : operand.elements) {
    const bool is_constant = element.kind == Operand::Kind::immediate;
    if (!fit_value(i, is_constant && is_float(element.type) ? Type::f32 : Type::u32, false, element, why)) return false;
  }
  return true;
}

/// A register or a constant of `type`. Floating-point constants are brought to the operation's type.
bool Parser::fit_value(const Instruction& i, Type type, bool at_least, Operand& operand, std::string& why) {
  if (operand.kind == Operand::Kind::immediate) {
    const bool constant_is_float = is_float(operand.type);
    if (type == Type::f32 && operand.type == Type::f64) {
      operand.bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
      operand.type = Type::f32;
    } else if (type == Type::f64 && operand.type == Type::f32) {
      operand.bits =
          std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))));
      operand.type = Type::f64;
    } else if (is_float(type) && !constant_is_float) {
      why = fmt::format("a whole number stands where a constant of type .{} is expected (0f3F800000 is 1.0)", name_of(type));
      return false;
    } else if (constant_is_float && !is_float(type) && (type == Type::pred || bytes_of(type) != bytes_of(operand.type))) {
      why = fmt::format("a floating-point constant does not fit the type .{}", name_of(type));
      return false;
    } else if (is_float(type) && bytes_of(type) < 4) {
      why = fmt::format("there are no constants of type .{}", name_of(type));
      return false;
    }
    return true;
  }
  if (operand.kind != Operand::Kind::reg) {
    why = operand.kind == Operand::Kind::special ? fmt::format("special registers are read with 'mov' only ('{}' reads {})",
                                                               row(i.op).spelling, name_of(operand.special))
                                                 : fmt::format("a register is expected, not {}", kind_in_words(operand));
    return false;
  }
  const std::string& name = function_->registers[operand.index].name;
  if ((type == Type::pred) != (operand.type == Type::pred)) {
    why = fmt::format("the register {} is of type .{}, but .{} is needed", name, name_of(operand.type), name_of(type));
    return false;
  }
  const unsigned have = bytes_of(operand.type), need = bytes_of(type);
  // Of plain integers and bits, and of floats that are kept as bits; 128-bit registers hold .b128 only.
  const bool kept_as_bits = type == Type::f32 && operand.type == Type::b64 && i.op != Opcode::cvt;
  const bool wider_is_fine = at_least && (type <= Type::s64 || kept_as_bits) && have <= 8;
  const bool fits = wider_is_fine ? have >= need : have == need;
  if (fits) return true;
  why = fmt::format("the register {} has {} bits, but .{} has {}", name, have * 8, name_of(type), need * 8);
  return false;
}

/// mov also packs and unpacks vectors, reads special registers, and takes addresses.
bool Parser::fit_move(const Instruction& i, bool destination, Operand& operand, std::string& why) {
  const unsigned bytes = bytes_of(i.type);
  switch (operand.kind) {
    case Operand::Kind::vector: {
      const bool both = i.operands[0].kind == Operand::Kind::vector && i.operands[1].kind == Operand::Kind::vector;
      const auto count = static_cast<unsigned>(operand.elements.size());
      if (both || i.type == Type::pred || count < 2 || bytes % count != 0) {
        why = fmt::format("a vector of {} does not fit the type .{}", count, name_of(i.type));
        return false;
      }
      static constexpr Type parts[] = {Type::none, Type::b8,   Type::b16,  Type::none, Type::b32,
                                       Type::none, Type::none, Type::none, Type::b64};
      const Type part = parts[bytes / count];
      for (Operand& element : operand.elements) {
        if (destination && element.kind == Operand::Kind::sink) continue;
        if (destination && element.kind != Operand::Kind::reg) {
          why = fmt::format("the destination must be a register, not {}", kind_in_words(element));
          return false;
        }
        if (!fit_value(i, part, false, element, why)) return false;
      }
      return true;
    }
    case Operand::Kind::special:
      if (bytes == 2 && !is_float(i.type) && special_has_bytes(operand.special, 4)) return true;  // its low half
      if (i.type == Type::pred ? operand.special == Special::cluster_zero : special_has_bytes(operand.special, bytes)) return true;
      why = fmt::format("{} does not have the type .{}", name_of(operand.special), name_of(i.type));
      return false;
    case Operand::Kind::variable:
    case Operand::Kind::function:
      if (i.type != Type::pred && !is_float(i.type) && (bytes == 8 || (bytes == 4 && operand.kind == Operand::Kind::variable)))
        return true;
      why = fmt::format("an address does not fit the type .{}", name_of(i.type));
      return false;
    default:
      return fit_value(i, i.type, false, operand, why);
  }
}

/// Behind a parameter lies another one, or nothing that is known.
bool Parser::fit_parameter(const Instruction& i, const Operand& operand, const Variable& variable, std::string& why) const {
  if (variable.space != Space::param || variable.size == 0) return true;  // 0: "name[]", as many as are passed
  const std::int64_t bytes = std::int64_t{bytes_of(i.type)} * i.vector, end = static_cast<std::int64_t>(variable.size);
  if (operand.offset >= 0 && operand.offset <= end - bytes) return true;
  const std::int64_t last = std::min(operand.offset, std::numeric_limits<std::int64_t>::max() - bytes) + bytes - 1;
  why = fmt::format("bytes {} to {} of the parameter '{}' are asked for, and it has {}", operand.offset, last,
                    cut(variable.name, 80), end);
  return false;
}

bool Parser::fit_memory(Instruction& i, const Operand& operand, std::string& why) {
  if (operand.kind != Operand::Kind::address) {
    why = fmt::format("an address in brackets is expected, not {}", kind_in_words(operand));
    return false;
  }
  const Effect effect = row(i.op).effect;
  if (operand.base != Operand::Base::variable || effect == Effect::hint || i.op == Opcode::cp_async) return true;
  const Variable& variable = variable_of(operand.variable);
  const bool mbarrier = effect == Effect::fence || (effect == Effect::atomic && i.op != Opcode::atom && i.op != Opcode::red);
  // Without a space the address is generic, but a variable's name says where it is.
  const bool known = variable.space == Space::shared || variable.space == Space::local;
  if (i.space == Space::generic && known && !mbarrier) i.space = variable.space;
  const Space expected = i.space == Space::generic ? (mbarrier ? Space::shared : Space::global) : i.space;
  if (variable.space == expected) return fit_parameter(i, operand, variable, why);
  why = fmt::format("'{}' is in the space .{}, not .{}", variable.name, name_of(variable.space), name_of(expected));
  return false;
}

}  // namespace warpbook::gpu::ptx
