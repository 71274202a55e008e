// Instructions: opcode, guard, operands.
#include <fmt/format.h>

#include <bit>
#include <iterator>

#include "gpu/virtual/ptx/parser_impl.h"

namespace warpbook::gpu::ptx {
namespace {

constexpr std::size_t max_operands = 4096;  // of a call; others have few

bool is_register_or_constant(const Operand& operand) {
  return operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::immediate;
}

}  // namespace

bool Parser::parse_opcode(Instruction& out, const DecodedOpcode*& decoded, std::string_view& text, Compound& compound) {
  if (now_.kind != Token::Kind::word) return fail_unexpected("an instruction");
  const char* const first = now_.text.data();
  const char* last = first + now_.text.size();
  advance();
  while (now_.kind == Token::Kind::dotted && now_.glued) {
    last = now_.text.data() + now_.text.size();
    advance();
  }
  text = std::string_view(first, static_cast<std::size_t>(last - first));
  if (text.size() > 200) return fail("this is not an instruction.");
  // Errors name what is written.
  const std::string_view plain = plain_opcode(text, compound);
  if ((compound.asynchronous = is_asynchronous(plain))) return true;
  auto known = opcodes_.find(plain);
  if (known == opcodes_.end()) {
    Result<DecodedOpcode> fresh = decode_opcode(plain);
    if (!fresh) return fail_at(out.ptx_line, fresh.error().message);
    known = opcodes_.emplace(plain, std::move(*fresh)).first;
  }
  decoded = &known->second;
  Instruction fresh = decoded->instruction;
  fresh.ptx_line = out.ptx_line;
  fresh.guard_as(out);
  out = std::move(fresh);
  return true;
}

bool Parser::parse_instruction() {
  if (++instructions_ > max_instructions) return fail(fmt::format("more than {} instructions in one module.", max_instructions));
  Instruction instruction;
  instruction.ptx_line = now_.line;
  if (accept("@")) {
    instruction.guarded = true;
    instruction.guard_negated = accept("!");
    const std::optional<std::uint32_t> guard = find_register(now_.text);
    if (!guard || function_->registers[*guard].type != Type::pred) return fail_unexpected("a predicate register after '@'");
    instruction.guard = *guard;
    advance();
  }
  const DecodedOpcode* decoded = nullptr;
  std::string_view text;
  Compound compound;
  if (!parse_opcode(instruction, decoded, text, compound)) return false;
  instruction.file = loc_;  // resolved when all .file directives are known
  if (compound.asynchronous) return parse_asynchronous(instruction, text);
  if (compound.elements > 1) return parse_vector_move(instruction, compound.elements, text);

  std::vector<Instruction> behind;
  if (instruction.op == Opcode::call) {
    if (!parse_call(instruction, behind)) return false;
  } else if (instruction.op == Opcode::bra || instruction.op == Opcode::brx) {
    if (!parse_branch(instruction)) return false;
  } else {
    std::uint64_t pairs = 0;
    if (!parse_operands(instruction.operands, pairs, has(instruction.op, trait::texture))) return false;
    if (decoded->cache_policy) {
      if (instruction.operands.empty() || !is_register_or_constant(instruction.operands.back()))
        return fail_at(instruction.ptx_line, fmt::format("'{}' needs a cache policy as its last operand.", text));
      instruction.operands.pop_back();
    }
    std::string why;
    bool fits = false;
    if (!decoded->shapes.empty() && !prepare(instruction, compound, *decoded->shapes.front(), why))
      return fail_at(instruction.ptx_line, fmt::format("'{}': {}.", text, why));
    if (compound.packed) decoded = &opcodes_.try_emplace("mov.b64", *decode_opcode("mov.b64")).first->second;
    for (const Shape* const shape : decoded->shapes) {
      // A shape that does not fit may have converted constants on the way.
      Instruction candidate = decoded->shapes.size() > 1 ? instruction : std::move(instruction);
      fits = fit(candidate, *shape, pairs, why);
      if (fits || decoded->shapes.size() == 1) instruction = std::move(candidate);
      if (fits) break;
    }
    if (fits) fits = fit_parts(instruction, why);
    if (!fits) return fail_at(instruction.ptx_line, fmt::format("'{}': {}.", text, why));
  }
  if (instruction.op == Opcode::ret && !pass_register_parameters(Operand::VariableRef::Where::result)) return false;
  function_->code.push_back(std::move(instruction));
  std::move(behind.begin(), behind.end(), std::back_inserter(function_->code));
  if (registers_ > max_registers) return fail(fmt::format("more than {} registers in one module.", max_registers));
  return expect(";", "after an instruction");
}

// --- Reading operands -----------------------------------------------------------------------------------------------------------

/// "[%rd1, {%f1, %f2}]": a texture's handle and coordinates, as two operands.
bool Parser::parse_texture(std::vector<Operand>& out) {
  if (!expect("[", "before a texture")) return false;
  out.emplace_back();
  if (!parse_operand(out.back())) return false;
  if (!expect(",", "behind a texture's handle")) return false;
  out.emplace_back();
  if (!parse_operand(out.back())) return false;
  return expect("]", "behind a texture's coordinates");
}

/// `pairs`: bit n is set where operand n and the next were written "a|b".
bool Parser::parse_operands(std::vector<Operand>& out, std::uint64_t& pairs, bool texture) {
  pairs = 0;
  if (is(";")) return true;
  while (true) {
    if (out.size() >= 16) return fail("this instruction has too many operands.");
    if (texture && is("[")) {
      if (!parse_texture(out)) return false;
      if (!accept(",")) return true;
      continue;
    }
    out.emplace_back();
    if (!parse_operand(out.back())) return false;
    if (accept("|")) {
      pairs |= std::uint64_t{1} << (out.size() - 1);
      continue;
    }
    if (!accept(",")) return true;
  }
}

bool Parser::parse_operand(Operand& out, std::size_t depth) {
  if (is("[")) return parse_address(out);
  if (is("{")) {
    if (depth > 0) return fail("a vector within a vector.");
    advance();
    out.kind = Operand::Kind::vector;
    do {
      if (out.elements.size() >= 8) return fail("a vector has at most 8 elements.");
      out.elements.emplace_back();
      if (!parse_operand(out.elements.back(), depth + 1)) return false;
    } while (accept(","));
    return expect("}", "after the elements of a vector");
  }
  if (is("!") && peek().kind == Token::Kind::word) {
    advance();
    const std::optional<std::uint32_t> reg = find_register(now_.text);
    if (!reg || function_->registers[*reg].type != Type::pred) return fail_unexpected("a predicate register after '!'");
    out.kind = Operand::Kind::reg;
    out.type = Type::pred;
    out.index = *reg;
    out.negated = true;
    advance();
    return true;
  }
  if (starts_constant()) {
    Constant value;
    if (!parse_constant(value)) return false;
    out.kind = Operand::Kind::immediate;
    out.type = value.type;
    out.bits = value.bits;
    return true;
  }
  if (now_.kind != Token::Kind::word) return fail_unexpected("an operand");
  if (accept("_")) {
    out.kind = Operand::Kind::sink;
    return true;
  }
  const Token name = now_;
  advance();
  if (const std::optional<Symbol> symbol = find(name.text)) {
    switch (symbol->kind) {
      case Symbol::Kind::reg:
        return parse_register(*symbol, out);
      case Symbol::Kind::function:
        out.kind = Operand::Kind::function;
        out.index = symbol->index;
        return true;
      case Symbol::Kind::variable:
        out.kind = Operand::Kind::variable;
        out.variable = symbol->variable;
        if (is("[")) return parse_element(*symbol, out);
        if (is("+") || is("-")) {
          Constant offset;
          if (!parse_constant(offset)) return false;
          if (is_float(offset.type)) return fail("an offset must be a whole number of bytes.");
          out.offset = static_cast<std::int64_t>(offset.bits);
        }
        return true;
    }
  }
  if (name.text.starts_with('%')) {
    std::string full(name.text.substr(0, 80));
    if (now_.kind == Token::Kind::dotted && now_.glued) {
      full += now_.text.substr(0, 80);
      advance();
    }
    if (special_of(full, out.special, out.index)) {
      out.kind = Operand::Kind::special;
      return true;
    }
    return fail_at(name.line, fmt::format("there is no register '{}': it is not declared, and the virtual GPU has no special "
                                          "register of that name.",
                                          full));
  }
  return fail_at(name.line, fmt::format("there is no register, variable or function '{}'.", name.text.substr(0, 80)));
}

/// `name[3]`: the address of an element, and what lies there as the operand of a load or store.
bool Parser::parse_element(const Symbol& symbol, Operand& out) {
  advance();
  std::uint64_t element = 0;
  if (!parse_unsigned(element, "the number of an element")) return false;
  const Variable& variable = variable_of(out.variable);
  const std::uint64_t bytes = std::uint64_t{bytes_of(variable.type)} * symbol.elements;
  if (element > variable.size / bytes) return fail(fmt::format("'{}' has no element {}.", variable.name, element));
  out.offset = static_cast<std::int64_t>(element * bytes);
  out.base = Operand::Base::variable;  // until fit_operand() knows which of the two it is
  return expect("]", "after the number of an element");
}

bool Parser::parse_address(Operand& out) {
  if (!expect("[", "before an address")) return false;
  out.kind = Operand::Kind::address;
  Constant offset;
  bool has_offset = true;
  if (starts_constant() && !is("WARP_SZ")) {
    if (!parse_constant(offset)) return false;
  } else {
    if (now_.kind != Token::Kind::word) return fail_unexpected("an address");
    const std::optional<Symbol> symbol = find(now_.text);
    if (!symbol) return fail(fmt::format("there is no register or variable '{}'.", now_.text.substr(0, 80)));
    if (symbol->kind == Symbol::Kind::function) return fail(fmt::format("the function '{}' cannot be read or written.", now_.text));
    if (symbol->kind == Symbol::Kind::reg && symbol->elements > 1) return fail("a vector of registers cannot hold an address.");
    if (symbol->kind == Symbol::Kind::reg) {
      out.base = Operand::Base::reg;
      out.index = symbol->index;
      out.type = function_->registers[symbol->index].type;
      if (const unsigned bytes = bytes_of(out.type); out.type == Type::pred || (bytes != 4 && bytes != 8))
        return fail(fmt::format("'{}' has {} and cannot hold an address.", now_.text,
                                out.type == Type::pred ? "one bit" : fmt::format("{} bits", 8 * bytes)));
    } else {
      out.base = Operand::Base::variable;
      out.variable = symbol->variable;
    }
    advance();
    // "[%rd1+-4]" and "[%rd1-4]" are the same.
    has_offset = is("+") || is("-");
    if (has_offset && !parse_constant(offset)) return false;
  }
  if (has_offset) {
    if (is_float(offset.type)) return fail("an address must be a whole number of bytes.");
    out.offset = static_cast<std::int64_t>(offset.bits);
  }
  return expect("]", "after an address");
}

// --- Branches and calls
// -----------------------------------------------------------------------------------------------------------

bool Parser::parse_branch(Instruction& branch) {
  if (branch.op == Opcode::brx) {
    Operand selector;
    std::string why;
    if (!parse_operand(selector)) return false;
    if (!fit_value(branch, Type::u32, false, selector, why)) return fail_at(branch.ptx_line, fmt::format("'brx.idx': {}.", why));
    branch.operands.push_back(std::move(selector));
    if (!expect(",", "before the label of .branchtargets")) return false;
  }
  if (now_.kind != Token::Kind::word) return fail_unexpected("a label");
  const auto pc = static_cast<std::uint32_t>(function_->code.size());
  Operand label;
  label.kind = Operand::Kind::label;
  std::vector<Pending>& pending = branch.op == Opcode::brx ? scopes_.back().pending_tables : scopes_.back().pending;
  pending.push_back({now_.text, now_.line, false, pc, static_cast<std::uint32_t>(branch.operands.size())});
  branch.operands.push_back(std::move(label));
  advance();
  return true;
}

/// call (results), target, (arguments), prototype;  — every part but the target may be missing.
bool Parser::parse_call(Instruction& call, std::vector<Instruction>& behind) {
  if (accept("(")) {
    if (!is(")") && !parse_call_operands(call)) return false;
    if (!expect(")", "after a call's results") || !expect(",", "after a call's results")) return false;
  }
  call.call_results = static_cast<std::uint8_t>(call.operands.size());
  call.destinations = call.call_results;
  if (call.operands.size() > 16) return fail("a call has at most 16 results here.");
  for (const Operand& result : call.operands)
    if (result.negated ||
        (result.kind != Operand::Kind::reg && result.kind != Operand::Kind::variable && result.kind != Operand::Kind::sink))
      return fail_at(call.ptx_line, fmt::format("a call cannot write its result to {}.", kind_in_words(result)));

  const std::string_view name = now_.text;
  Operand target;
  if (!parse_operand(target)) return false;
  const bool indirect = target.kind == Operand::Kind::reg;
  if (!indirect && target.kind != Operand::Kind::function)
    return fail_at(call.ptx_line, fmt::format("'{}' is {} and cannot be called.", name.substr(0, 80), kind_in_words(target)));
  if (indirect && (target.type == Type::pred || bytes_of(target.type) != 8))
    return fail_at(call.ptx_line, fmt::format("'{}' does not hold a function's address, which has 64 bits.", name));
  const std::uint32_t callee_index = target.index;
  call.operands.push_back(std::move(target));

  const std::size_t first_argument = call.operands.size();
  bool more = accept(",");
  if (more && accept("(")) {
    if (!is(")") && !parse_call_operands(call)) return false;
    if (!expect(")", "after a call's arguments")) return false;
    more = accept(",");
  }
  if (more) {
    if (now_.kind != Token::Kind::word) return fail_unexpected("the label of a prototype");
    advance();
  }
  pass_predicates(call, behind);
  for (std::size_t at = first_argument; at < call.operands.size(); ++at)
    if (const Operand& argument = call.operands[at]; !is_register_or_constant(argument) && argument.kind != Operand::Kind::variable)
      return fail_at(call.ptx_line, fmt::format("a call cannot take {} as an argument.", kind_in_words(argument)));
  if (indirect) return true;

  const Function& callee = module_.functions[callee_index];
  if (callee.entry) return fail_at(call.ptx_line, fmt::format("'{}' is a kernel; a kernel cannot be called.", callee.name));
  const auto check = [&](const Operand& operand, const Variable& formal, std::string_view what) {
    if (operand.kind == Operand::Kind::sink || (operand.kind == Operand::Kind::immediate && formal.size <= 8)) return true;
    const std::uint64_t size =
        operand.kind == Operand::Kind::variable ? variable_of(operand.variable).size : bytes_of(operand.type);
    // The last parameter of a variadic function is `name[]`, of any size.
    if (formal.size == 0 || size == formal.size) return true;
    return fail_at(call.ptx_line, fmt::format("the call of '{}' has a {} of {} bytes where {} are declared.", callee.name, what,
                                              size, formal.size));
  };
  const std::size_t arguments = call.operands.size() - first_argument;
  if (call.call_results != callee.results.size() || arguments != callee.parameters.size())
    return fail_at(call.ptx_line, fmt::format("'{}' has {} parameters and {} results; this call has {} and {}.", callee.name,
                                              callee.parameters.size(), callee.results.size(), arguments, call.call_results));
  for (std::size_t at = 0; at < callee.results.size(); ++at)
    if (!check(call.operands[at], callee.results[at], "result")) return false;
  for (std::size_t at = 0; at < arguments; ++at)
    if (!check(call.operands[first_argument + at], callee.parameters[at], "argument")) return false;
  return true;
}

bool Parser::parse_call_operands(Instruction& call) {
  do {
    if (call.operands.size() >= max_operands) return fail("this call has too many arguments.");
    Operand operand;
    if (!parse_operand(operand)) return false;
    if (operand.kind == Operand::Kind::variable) {
      if (operand.offset != 0 || operand.base != Operand::Base::none)
        return fail("a call takes a whole variable, without an offset.");
      const Variable& variable = variable_of(operand.variable);
      if (operand.variable.where != Operand::VariableRef::Where::function || variable.space != Space::param)
        return fail(
            fmt::format("a call takes registers and .param variables declared in this body; '{}' is neither.", variable.name));
    }
    if (operand.kind == Operand::Kind::vector)  // as many parameters
      std::move(operand.elements.begin(), operand.elements.end(), std::back_inserter(call.operands));
    else
      call.operands.push_back(std::move(operand));
  } while (accept(","));
  return true;
}

}  // namespace warpbook::gpu::ptx
