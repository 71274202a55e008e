// Names: registers by the range, scopes and labels, and how a name stays one of its own where braces are flattened.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "gpu/virtual/ptx/parser_impl.h"

namespace warpbook::gpu::ptx {

std::optional<std::uint32_t> Parser::number_in_range(std::string_view name, const RegisterRange& range) {
  if (name.size() <= range.prefix.size() || !name.starts_with(range.prefix)) return std::nullopt;
  const std::string_view digits = name.substr(range.prefix.size());
  if (digits.size() > 7 || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  std::uint32_t number = 0;
  const char* const end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, number).ptr != end || number >= range.count) return std::nullopt;
  return number;
}

/// %r<count> against what its braces hold already: %r3, %r<9>, or %r1<5>, whose %r10 would be %r<20>'s too.
bool Parser::overlaps(std::string_view prefix, std::uint64_t count) const {
  const Scope& scope = scopes_.back();
  const RegisterRange added{prefix, 0, static_cast<std::uint32_t>(count)};
  for (const RegisterRange& range : scope.ranges) {
    if (range.prefix == prefix) return true;
    if (number_in_range(std::string(prefix) + "0", range) || number_in_range(std::string(range.prefix) + "0", added)) return true;
  }
  return std::any_of(scope.names.begin(), scope.names.end(),
                     [&](const auto& known) { return number_in_range(known.first, added).has_value(); });
}

bool Parser::declare(std::string_view name, Symbol symbol) {
  const auto& ranges = scopes_.back().ranges;
  const bool in_range = std::any_of(ranges.begin(), ranges.end(),
                                    [&](const RegisterRange& range) { return number_in_range(name, range).has_value(); });
  if (!in_range && scopes_.back().names.emplace(name, symbol).second) return true;
  return fail(fmt::format("'{}' is declared twice in the same braces.", name));
}

bool Parser::name_is_taken(const std::string& name) const {
  if (taken_.contains(name) || module_names_.contains(name)) return true;
  return std::any_of(taken_ranges_.begin(), taken_ranges_.end(),
                     [&](const RegisterRange& range) { return number_in_range(name, range).has_value(); });
}

/// A `.global` or `.const` inside a function becomes the module's, where others may have its name.
void Parser::name_moved_variables() {
  for (const std::uint32_t index : moved_) {
    std::string& name = module_.globals[index].name;
    std::string unique = name;
    for (unsigned n = 1; module_names_.contains(unique); ++n) unique = fmt::format("{}${}", name, n);
    name = unique;
    Symbol symbol;
    symbol.kind = Symbol::Kind::variable;
    symbol.variable = {Operand::VariableRef::Where::module, index};
    module_names_.emplace(name, symbol);
  }
}

/// What is declared behind a function may have the name of something inside it, but is printed before it.
void Parser::rename_what_hides(Function& function) {
  std::set<std::string> names;
  const auto each_name = [&](const auto& visit) {
    for (std::vector<Variable>* variables : {&function.parameters, &function.results, &function.variables})
      for (Variable& variable : *variables) visit(variable.name);
    for (Register& reg : function.registers) visit(reg.name);
  };
  bool hides = false;
  each_name([&](const std::string& name) { hides |= module_names_.contains(name); });
  if (!hides) return;
  each_name([&](const std::string& name) { names.insert(name); });
  each_name([&](std::string& name) {
    if (!module_names_.contains(name)) return;
    std::string unique = name;
    for (unsigned n = 1; module_names_.contains(unique) || names.contains(unique); ++n) unique = fmt::format("{}${}", name, n);
    names.insert(name = unique);
  });
}

/// Scopes are flattened, so a name that hides another gets a number: param0$1.
std::string Parser::unique_name(std::string_view name) {
  std::string unique(name);
  while (name_is_taken(unique)) unique = fmt::format("{}${}", name, ++renamed_[std::string(name)]);
  taken_.insert(unique);
  return unique;
}

bool Parser::close_scope() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  const bool outermost = scopes_.size() == 1;  // only the parameters are left
  for (const Pending& pending : scope.pending) {
    const auto found = scope.labels.find(pending.name);
    if (found == scope.labels.end()) {
      if (outermost) return fail_at(pending.line, fmt::format("there is no label '{}' in '{}'.", pending.name, function_->name));
      scopes_.back().pending.push_back(pending);
    } else if (pending.in_table) {
      function_->branch_targets[pending.pc_or_table][pending.at] = found->second;
    } else {
      function_->code[pending.pc_or_table].operands[pending.at].index = found->second;
    }
  }
  for (const Pending& pending : scope.pending_tables) {
    const auto found = scope.tables.find(pending.name);
    if (found != scope.tables.end()) {
      function_->code[pending.pc_or_table].operands[pending.at].index = found->second;
    } else {
      if (outermost) return fail_at(pending.line, fmt::format("there is no '.branchtargets' named '{}'.", pending.name));
      scopes_.back().pending_tables.push_back(pending);
    }
  }
  return true;
}

std::optional<std::uint32_t> Parser::find_register(std::string_view name) const {
  const std::optional<Symbol> symbol = find(name);
  if (!symbol || symbol->kind != Symbol::Kind::reg) return std::nullopt;
  return symbol->index;
}

std::optional<Parser::Symbol> Parser::find(std::string_view name) const {
  if (function_) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->names.find(name); found != scope->names.end()) return found->second;
      for (const RegisterRange& range : scope->ranges) {
        const std::optional<std::uint32_t> at = number_in_range(name, range);  // %r12 of %r<20>
        if (!at) continue;
        Symbol symbol;
        symbol.index = range.first + *at * range.elements;
        symbol.elements = range.elements;
        return symbol;
      }
    }
  }
  const auto found = module_names_.find(name);
  return found == module_names_.end() ? std::nullopt : std::optional(found->second);
}

Result<Module> parse(std::string_view text) { return Parser(text).run(); }

}  // namespace warpbook::gpu::ptx
