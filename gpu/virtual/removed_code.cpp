#include "gpu/virtual/removed_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/source_tokens.h"
#include "gpu/virtual/declarations.h"
#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu {
namespace {

/// "n::scale<float>" → "scale"
std::string_view bare_name(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  const std::size_t colon = kernel.rfind("::");
  return colon == std::string_view::npos ? kernel : kernel.substr(colon + 2);
}

/// Whether nobody could tell that this instruction was executed.
bool leaves_nothing(const ptx::Instruction& inst) {
  switch (ptx::row(inst.op).effect) {
    case ptx::Effect::none:
    case ptx::Effect::branch:
      return true;
    case ptx::Effect::exit:
      return inst.op != ptx::Opcode::trap;
    case ptx::Effect::load:
      return inst.space == ptx::Space::param;
    default:
      return false;
  }
}

/// Whether the source has statements between the kernel's braces. False, too, where they are not found.
bool has_statements(const Tokens& tokens, std::string_view name) {
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (tokens[at] != name || tokens[at + 1] != "(") continue;
    const std::size_t open = behind_bracket(tokens, at + 1);
    if (open >= tokens.size() || tokens[open] != "{") continue;
    const std::size_t end = std::max(behind_bracket(tokens, open) - 1, open + 1);  // it may not be closed
    return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(open) + 1, tokens.begin() + static_cast<std::ptrdiff_t>(end),
                       [](std::string_view token) {
                         return !one_of(token, {";", "return", "{", "}"});
                       });
  }
  return false;
}

/// Whether the source stores to a variable, or gives its address away: `sum = 0`, `tile[y][x] += 1`, `atomicAdd(&n, 1)`.
bool is_stored_to(const Tokens& tokens, std::string_view name) {
  const auto token = [&](std::size_t at) { return at < tokens.size() ? tokens[at] : std::string_view(); };
  for (std::size_t at = 1; at < tokens.size(); ++at) {
    if (tokens[at] != name) continue;
    if (token(at - 1) == "&" && at > 1 && one_of(tokens[at - 2], {"(", ","})) return true;
    std::size_t behind = at + 1;
    while (token(behind) == "[" || token(behind) == ".")
      behind = token(behind) == "[" ? behind_bracket(tokens, behind) : behind + 2;
    const std::string_view first = token(behind), second = token(behind + 1);
    if (first == "=" && second != "=") return true;
    if (one_of(first, {"+", "-", "*", "/", "%", "&", "|", "^"}) && second == "=") return true;
    if (one_of(first, {"+", "-"}) && second == first) return true;
  }
  return false;
}

/// Whether the line stands between #if and #endif.
bool is_conditional(std::string_view source, std::uint32_t line) {
  int depth = 0;
  for (std::uint32_t number = 1; number < line && !source.empty(); ++number) {
    std::string_view text = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(text.size() + 1, source.size()));
    const std::size_t hash = text.find_first_not_of(" \t");
    if (hash == std::string_view::npos || text[hash] != '#') continue;
    text.remove_prefix(hash + 1);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (text.starts_with("if")) ++depth;
    if (text.starts_with("endif")) --depth;
  }
  return depth > 0;
}

}  // namespace

RemovedCode removed_code(const Kernel& kernel, const ptx::Function& function, std::span<const vm::SharedVariable> shared,
                         const DeclaredVariables& variables, std::string_view source) {
  const Tokens tokens = tokens_of(source);
  const std::string_view name = bare_name(kernel.name);
  if (std::ranges::all_of(function.code, leaves_nothing) && has_statements(tokens, name))
    return {.everything = true,
            .sentences = {to_say(
                "The compiler has removed all that this kernel does, because it stores nothing that is still there afterwards. "
                "So there was nothing to observe. Let its threads store their results in an array that the kernel is given.")}};
  RemovedCode removed;
  for (const DeclaredVariable& variable : variables.all()) {
    if (variable.where != DeclaredVariable::Where::shared || variable.function != name) continue;
    const bool left = std::ranges::any_of(shared, [&](const vm::SharedVariable& one) {
      const std::string whose = read_symbol(one.symbol).function;
      return one.name == variable.name && (whose.empty() || whose == name);
    });
    if (left || !is_stored_to(tokens, variable.name) || is_conditional(source, variable.line)) continue;
    removed.sentences.push_back(
        to_say("The compiler has removed `{variable}`{at} from shared memory, because no result of this kernel depends on it. "
               "What the source does with it was not executed, and so it was not observed.",
               "variable"_a = variable.name, "at"_a = SourceLine{variable.line}));
  }
  return removed;
}

}  // namespace warpbook::gpu
