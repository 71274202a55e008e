#include "gpu/virtual/ptx/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu::ptx {
namespace {

using Out = std::back_insert_iterator<std::string>;

const Variable& variable_of(const Operand::VariableRef& ref, const Function& function, const Module& module) {
  switch (ref.where) {
    case Operand::VariableRef::Where::function:
      return function.variables[ref.index];
    case Operand::VariableRef::Where::parameter:
      return function.parameters[ref.index];
    case Operand::VariableRef::Where::result:
      return function.results[ref.index];
    case Operand::VariableRef::Where::module:
      break;
  }
  return module.globals[ref.index];
}

void print_constant(std::string& text, Type type, std::uint64_t bits) {
  Out out(text);
  if (type == Type::f32)
    fmt::format_to(out, "0f{:08X}", bits & 0xffffffffU);
  else if (type == Type::f64)
    fmt::format_to(out, "0d{:016X}", bits);
  else if (type == Type::u64)
    fmt::format_to(out, "{}U", bits);
  else
    fmt::format_to(out, "{}", static_cast<std::int64_t>(bits));
}

void print_offset(std::string& text, std::int64_t offset) {
  if (offset != 0) fmt::format_to(Out(text), "{:+}", offset);
}

void print_operand(std::string& text, const Operand& operand, const Function& function, const Module& module) {
  if (operand.negated) text += '!';
  switch (operand.kind) {
    case Operand::Kind::none:
      break;
    case Operand::Kind::reg:
      text += function.registers[operand.index].name;
      break;
    case Operand::Kind::immediate:
      print_constant(text, operand.type, operand.bits);
      break;
    case Operand::Kind::special:
      text += name_of(operand.special);
      if (operand.special == Special::envreg) text += std::to_string(operand.index);
      break;
    case Operand::Kind::address:
      text += '[';
      if (operand.base == Operand::Base::none)
        text += std::to_string(operand.offset);
      else {
        text += operand.base == Operand::Base::reg ? function.registers[operand.index].name
                                                   : variable_of(operand.variable, function, module).name;
        print_offset(text, operand.offset);
      }
      text += ']';
      break;
    case Operand::Kind::variable:
      text += variable_of(operand.variable, function, module).name;
      print_offset(text, operand.offset);
      break;
    case Operand::Kind::function:
      text += module.functions[operand.index].name;
      break;
    case Operand::Kind::label:
      fmt::format_to(Out(text), "L{}", operand.index);
      break;
    case Operand::Kind::vector:
      text += '{';
      for (std::size_t at = 0; at < operand.elements.size(); ++at) {
        if (at > 0) text += ", ";
        print_operand(text, operand.elements[at], function, module);
      }
      text += '}';
      break;
    case Operand::Kind::sink:
      text += '_';
      break;
  }
}

/// ".h0" behind a register: see vm/ops/video.h for what `bits` hold.
void print_parts(std::string& text, const Instruction& i, std::size_t at) {
  const Operand& operand = i.operands[at];
  if (operand.kind != Operand::Kind::reg || operand.bits == 0) return;
  const std::string_view name = row(i.op).spelling;
  const unsigned elements = name.ends_with('4') ? 4 : name.ends_with('2') ? 2 : 1;
  if (elements == 1) {
    fmt::format_to(Out(text), ".{}{}", operand.bits >> 4 == 1 ? 'b' : 'h', operand.bits & 15U);
    return;
  }
  text += elements == 2 ? ".h" : ".b";
  for (unsigned e = elements; e-- > 0;)
    if (at > 0)
      text += static_cast<char>('0' + (operand.bits >> 4 * e & 15U));
    else if (operand.bits >> e & 1U)
      text += static_cast<char>('0' + e);
}

void print_call(std::string& text, const Instruction& call, const Function& function, const Module& module) {
  const auto list = [&](std::size_t from, std::size_t to) {
    text += '(';
    for (std::size_t at = from; at < to; ++at) {
      if (at > from) text += ", ";
      print_operand(text, call.operands[at], function, module);
    }
    text += ')';
  };
  const std::size_t target = call.call_results;
  if (target > 0) {
    list(0, target);
    text += ", ";
  }
  print_operand(text, call.operands[target], function, module);
  if (target + 1 < call.operands.size()) {
    text += ", ";
    list(target + 1, call.operands.size());
  }
  // An indirect call's prototype was dropped: what it says is in the arguments.
}

void print_variable(std::string& text, const Variable& variable, const Module& module) {
  if (variable.is_extern) text += ".extern ";
  fmt::format_to(Out(text), ".{} .align {} .{} {}", name_of(variable.space), variable.align, name_of(variable.type), variable.name);
  const unsigned element = bytes_of(variable.type);
  const std::uint64_t elements = variable.size / element;
  if (variable.size == 0)
    text += "[]";
  else if (elements != 1 || !variable.initial.empty())
    fmt::format_to(Out(text), "[{}]", elements);
  if (variable.initial.empty()) {
    text += ";\n";
    return;
  }
  text += " = {";
  // What is not given is zero.
  std::uint64_t given = variable.initial.size(), least = element;
  if (!variable.relocations.empty())
    least = std::max(least, variable.relocations.back().offset + variable.relocations.back().bytes);
  while (given > least && variable.initial[given - 1] == std::byte{0}) --given;
  given = (given + element - 1) / element;
  std::size_t next = 0;  // relocation
  for (std::uint64_t at = 0; at < std::min(given, elements); ++at) {
    if (at > 0) text += ", ";
    const std::uint64_t offset = at * element;
    while (next < variable.relocations.size() && variable.relocations[next].offset + variable.relocations[next].bytes <= offset)
      ++next;
    const Variable::Relocation* const relocation =
        next < variable.relocations.size() && variable.relocations[next].offset <= offset ? &variable.relocations[next] : nullptr;
    if (relocation) {
      std::string name = relocation->function ? module.functions[relocation->index].name : module.globals[relocation->index].name;
      if (relocation->generic) name = fmt::format("generic({})", name);
      print_offset(name, relocation->addend);
      if (element == relocation->bytes)
        text += name;
      else
        fmt::format_to(Out(text), "{:#x}({})", std::uint64_t{0xff} << (8 * (offset - relocation->offset)), name);
      continue;
    }
    std::uint64_t bits = 0;
    for (unsigned byte = 0; byte < element && byte < 8; ++byte)
      bits |= std::to_integer<std::uint64_t>(variable.initial[offset + byte]) << (8 * byte);
    if (variable.type == Type::f32 || variable.type == Type::f64)
      print_constant(text, variable.type, bits);
    else
      fmt::format_to(Out(text), "{}", bits);
  }
  text += "};\n";
}

void print_parameters(std::string& text, const std::vector<Variable>& parameters) {
  text += '(';
  for (std::size_t at = 0; at < parameters.size(); ++at) {
    const Variable& p = parameters[at];
    if (at > 0) text += ", ";
    fmt::format_to(Out(text), ".param .align {} .{} {}{}", p.align, name_of(p.type), p.is_pointer ? ".ptr " : "", p.name);
    const std::uint64_t elements = p.size / bytes_of(p.type);
    if (p.size == 0)
      text += "[]";
    else if (elements != 1)
      fmt::format_to(Out(text), "[{}]", elements);
  }
  text += ')';
}

void print_head(std::string& text, const Function& function, bool declare) {
  text += declare && function.declaration ? ".extern " : ".visible ";
  text += function.entry ? ".entry " : ".func ";
  if (!function.results.empty()) {
    print_parameters(text, function.results);
    text += ' ';
  }
  text += function.name;
  print_parameters(text, function.parameters);
  if (function.max_threads > 0) fmt::format_to(Out(text), "\n.maxntid {}", function.max_threads);
  if (function.required_threads > 0) fmt::format_to(Out(text), "\n.reqntid {}", function.required_threads);
  if (function.cluster_blocks > 0) fmt::format_to(Out(text), "\n.reqnctapercluster {}", function.cluster_blocks);
}

}  // namespace

std::string print(const Function& function, const Instruction& i, const Module& module) {
  std::string text;
  if (i.guarded) fmt::format_to(Out(text), "@{}{} ", i.guard_negated ? "!" : "", function.registers[i.guard].name);
  text += opcode_text(i);
  if (i.op == Opcode::call) {
    text += ' ';
    print_call(text, i, function, module);
  } else {
    for (std::size_t at = 0; at < i.operands.size(); ++at) {
      text += at == 0 ? " " : at == 1 && i.second_destination ? "|" : ", ";
      const bool texture = has(i.op, trait::texture);
      if (texture && at == i.destinations) text += '[';
      if (i.op == Opcode::brx && at == 1)
        fmt::format_to(Out(text), "T{}", i.operands[at].index);
      else
        print_operand(text, i.operands[at], function, module);
      print_parts(text, i, at);
      if (texture && at == i.destinations + std::size_t{1}) text += ']';
    }
  }
  text += ';';
  return text;
}

std::string print(const Function& function, const Module& module) {
  std::string text;
  print_head(text, function, false);
  if (function.declaration) return text + ";\n";
  text += "\n{\n";
  for (const Register& reg : function.registers) fmt::format_to(Out(text), ".reg .{} {};\n", name_of(reg.type), reg.name);
  for (const Variable& variable : function.variables) print_variable(text, variable, module);
  for (std::size_t table = 0; table < function.branch_targets.size(); ++table) {
    fmt::format_to(Out(text), "T{}: .branchtargets ", table);
    const std::vector<std::uint32_t>& targets = function.branch_targets[table];
    for (std::size_t at = 0; at < targets.size(); ++at) fmt::format_to(Out(text), "{}L{}", at == 0 ? "" : ", ", targets[at]);
    text += ";\n";
  }

  std::set<std::uint32_t> labels;
  for (const Instruction& i : function.code)
    if (i.op == Opcode::bra) labels.insert(i.operands[0].index);
  for (const std::vector<std::uint32_t>& targets : function.branch_targets) labels.insert(targets.begin(), targets.end());
  std::uint32_t file = 0, line = 0, column = 0;
  for (std::uint32_t pc = 0; pc < function.code.size(); ++pc) {
    const Instruction& i = function.code[pc];
    if (labels.contains(pc)) fmt::format_to(Out(text), "L{}:\n", pc);
    if (i.file != file || i.line != line || i.column != column) {
      file = i.file;
      line = i.line;
      column = i.column;
      fmt::format_to(Out(text), ".loc {} {} {}\n", file, line, column);
    }
    text += print(function, i, module);
    text += '\n';
  }
  if (const auto end = static_cast<std::uint32_t>(function.code.size()); labels.contains(end))
    fmt::format_to(Out(text), "L{}:\n", end);
  text += "}\n";
  return text;
}

std::string print(const Module& module) {
  std::string text = fmt::format(".version {}\n.target {}\n.address_size {}\n", module.version, module.target, module.address_size);
  for (std::size_t file = 0; file < module.files.size(); ++file)
    if (!module.files[file].empty()) fmt::format_to(Out(text), ".file {} \"{}\"\n", file, module.files[file]);
  // Declarations first, in the module's order: they fix the index of every function, and tables of addresses may name them.
  for (const Function& function : module.functions) {
    print_head(text, function, true);
    text += ";\n";
  }
  for (const Variable& variable : module.globals) print_variable(text, variable, module);
  for (const Function& function : module.functions)
    if (!function.declaration) text += '\n' + print(function, module);
  return text;
}

}  // namespace warpbook::gpu::ptx
