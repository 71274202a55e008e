// The forms of registers that compilers of CUDA C++ do not use, but other emitters do: vectors of registers, parameters that are
// registers, parts of a register, and second names of functions.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gpu/virtual/ptx/parser_impl.h"

namespace warpbook::gpu::ptx {
namespace {

constexpr std::string_view element_names[] = {"x", "y", "z", "w"};
constexpr std::string_view colour_names[] = {"r", "g", "b", "a"};

bool is_video(Opcode op) { return op >= Opcode::vadd && op <= Opcode::vset4; }
bool is_scalar_video(Opcode op) { return op <= Opcode::vset; }

}  // namespace

/// `.reg .v4 .f32 name`: four registers, name_x … name_w.
void Parser::add_vector(std::string_view name, Type type, std::uint8_t elements) {
  for (std::uint8_t e = 0; e < elements; ++e)
    function_->registers.push_back({unique_name(fmt::format("{}_{}", name, element_names[e])), type});
}

/// A register's name was read: what follows it may be an element (".y" of a vector), or a part (".h0", for video instructions).
bool Parser::parse_register(const Symbol& symbol, Operand& out) {
  const bool suffix = now_.kind == Token::Kind::dotted && now_.glued;
  if (symbol.elements > 1) {
    if (!suffix) {
      out.kind = Operand::Kind::vector;
      for (std::uint8_t e = 0; e < symbol.elements; ++e) out.elements.push_back(register_operand(symbol.index + e));
      return true;
    }
    for (std::uint8_t e = 0; e < symbol.elements; ++e) {
      if (now_.text.substr(1) != element_names[e] && now_.text.substr(1) != colour_names[e]) continue;
      advance();
      out = register_operand(symbol.index + e);
      return !is("+") || parse_sum(out);
    }
    return fail(fmt::format("a vector of {} registers has no element '{}'.", symbol.elements, now_.text.substr(0, 80)));
  }
  out = register_operand(symbol.index);
  if (is("+")) return parse_sum(out);
  if (!suffix) return true;
  const std::string_view part = now_.text.substr(1);
  const bool digits = part.size() >= 2 && part.size() <= 5 && (part[0] == 'b' || part[0] == 'h') &&
                      std::all_of(part.begin() + 1, part.end(), [](char c) { return c >= '0' && c <= '7'; });
  if (!digits) return fail(fmt::format("a register has no part '{}'.", now_.text.substr(0, 80)));
  // As it is written; fit_part() brings it to what vm/ops/video.h wants.
  out.bits = static_cast<std::uint64_t>(part[0]) << 32;
  for (const char digit : part.substr(1))
    out.bits = (out.bits & ~0xffffffffull) | ((out.bits << 4 | (digit - '0' + 0ull)) & 0xffff);
  out.offset = static_cast<std::int64_t>(part.size() - 1);
  advance();
  return true;
}

bool Parser::fit_parts(Instruction& i, std::string& why) {
  for (std::size_t at = 0; at < i.operands.size(); ++at) {
    Operand& operand = i.operands[at];
    if (operand.kind != Operand::Kind::reg || operand.bits == 0) continue;
    const auto kind = static_cast<char>(operand.bits >> 32);
    const auto digits = static_cast<std::uint32_t>(operand.bits);
    const auto count = static_cast<std::size_t>(operand.offset);
    operand.offset = 0;
    const auto wrong = [&] {
      why = "this part of a register does not go with this instruction and operand";
      return false;
    };
    if (!is_video(i.op) || at > 2) return wrong();
    if (is_scalar_video(i.op)) {
      if (count != 1 || digits > (kind == 'b' ? 3U : 1U)) return wrong();
      operand.bits = (kind == 'b' ? 0x10U : 0x20U) | digits;
      continue;
    }
    const bool quads = row(i.op).spelling.ends_with('4');
    if (quads != (kind == 'b')) return wrong();
    const std::size_t elements = quads ? 4 : 2;
    if (at > 0) {
      if (count != elements) return wrong();
      for (std::size_t e = 0; e < elements; ++e)
        if ((digits >> 4 * e & 15U) >= 2 * elements) return wrong();
      operand.bits = digits | 0x10000U;  // never 0, also for ".h00"
      continue;
    }
    std::uint64_t mask = 0;
    for (std::size_t e = 0; e < count; ++e) {
      const std::uint32_t element = digits >> 4 * e & 15U;
      if (element >= elements) return wrong();
      mask |= std::uint64_t{1} << element;
    }
    operand.bits = mask;
  }
  return true;
}

/// `.reg .u32 name` in a list of parameters: passed in memory as the others are, loaded first and stored before `ret`. A vector is
/// as many of them, a predicate a word.
bool Parser::parse_register_parameter(std::vector<Variable>& out, std::unordered_map<std::string_view, Symbol>& names,
                                      Operand::VariableRef::Where where) {
  const std::uint8_t elements = accept(".v2") ? 2 : accept(".v4") ? 4 : 1;
  const Type type = now_.kind == Token::Kind::dotted ? type_of(now_.text.substr(1)) : Type::none;
  if (type == Type::none) return fail_unexpected("the type of a parameter");
  if (elements > 1 && (type == Type::pred || elements * bytes_of(type) > 16))
    return fail("a vector of registers has at most 128 bits, and there are none of predicates.");
  advance();
  if (is("_")) return fail_unexpected("the name of a parameter");
  std::string_view whole;
  if (!parse_new_name(whole, "the name of a parameter")) return false;
  Symbol symbol;
  symbol.index = static_cast<std::uint32_t>(register_parameters_.size());
  symbol.elements = elements;
  if (!names.emplace(whole, symbol).second) return fail(fmt::format("'{}' is declared twice.", whole));
  for (std::uint8_t e = 0; e < elements; ++e) {
    const std::string name = elements > 1 ? fmt::format("{}_{}", whole, element_names[e]) : std::string(whole);
    Variable parameter;
    parameter.name = fmt::format("{}_value", name);
    parameter.space = Space::param;
    parameter.type = type == Type::pred ? Type::u32 : type;
    parameter.align = bytes_of(type);
    parameter.size = bytes_of(type);
    register_parameters_.push_back({name, type, elements > 1, {where, static_cast<std::uint32_t>(out.size())}});
    out.push_back(std::move(parameter));
  }
  return true;
}

bool Parser::begin_register_parameters() {
  for (const RegisterParameter& parameter : register_parameters_)
    function_->registers.push_back({parameter.element ? unique_name(parameter.name) : parameter.name, parameter.type});
  return pass_register_parameters(Operand::VariableRef::Where::parameter);
}

/// Loads those of a function's start, or stores those of its end.
bool Parser::pass_register_parameters(Operand::VariableRef::Where where) {
  for (std::uint32_t r = 0; r < register_parameters_.size(); ++r) {
    const RegisterParameter& parameter = register_parameters_[r];
    if (parameter.variable.where != where) continue;
    if (++instructions_ > max_instructions) return fail(fmt::format("more than {} instructions in one module.", max_instructions));
    const bool load = where == Operand::VariableRef::Where::parameter, predicate = parameter.type == Type::pred;
    const Operand value = register_operand(r), moved = predicate ? temporary(Type::u32) : value;
    if (predicate && !load) emit("selp.u32", {moved, constant_operand(1), constant_operand(0), value});
    Instruction i;
    i.op = load ? Opcode::ld : Opcode::st;
    i.space = Space::param;
    // Moved as bits: what a register may hold, `ld` need not know.
    static constexpr Type bits[] = {Type::b8, Type::b16, Type::b32, Type::b64, Type::b128};
    i.type = bits[std::countr_zero(bytes_of(parameter.type))];
    i.ptx_line = now_.line;
    i.file = loc_;
    Operand address;
    address.kind = Operand::Kind::address;
    address.base = Operand::Base::variable;
    address.variable = parameter.variable;
    i.operands = {moved, address};
    if (!load) std::swap(i.operands[0], i.operands[1]);
    i.destinations = load ? 1 : 0;
    function_->code.push_back(std::move(i));
    if (predicate && load) emit("setp.ne.u32", {value, moved, constant_operand(0)});
  }
  return true;
}

/// `.alias name, function;`: calls of the first are calls of the second.
bool Parser::parse_alias() {
  std::uint32_t functions[2];
  for (int n = 0; n < 2; ++n) {
    if (n == 1 && !expect(",", "between the two names of '.alias'")) return false;
    const auto known = now_.kind == Token::Kind::word ? module_names_.find(now_.text) : module_names_.end();
    if (known == module_names_.end() || known->second.kind != Symbol::Kind::function)
      return fail_unexpected("the name of a function");
    functions[n] = known->second.index;
    advance();
  }
  if (!module_.functions[functions[0]].declaration || module_.functions[functions[1]].declaration)
    return fail("'.alias' gives a declared function the body of a defined one.");
  if (!called_alike(module_.functions[functions[0]], module_.functions[functions[1]]))
    return fail("'.alias' needs two functions whose parameters and results have the same sizes.");
  aliases_.emplace_back(functions[0], functions[1]);
  return expect(";", "after '.alias'");
}

void Parser::resolve_aliases() {
  if (aliases_.empty()) return;
  const auto resolve = [&](std::uint32_t& index) {
    for (const auto& [alias, function] : aliases_)
      if (index == alias) index = function;
  };
  for (Function& function : module_.functions)
    for (Instruction& instruction : function.code)
      for (Operand& operand : instruction.operands)
        if (operand.kind == Operand::Kind::function) resolve(operand.index);
  for (Variable& variable : module_.globals)
    for (Variable::Relocation& relocation : variable.relocations)
      if (relocation.function) resolve(relocation.index);
}

}  // namespace warpbook::gpu::ptx
