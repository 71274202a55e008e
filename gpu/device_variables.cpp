#include "gpu/device_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "gpu/demangle.h"
#include "gpu/device.h"
#include "gpu/kernel_signatures.h"
#include "gpu/source_tokens.h"
#include "gpu/struct_members.h"
#include "gpu/text.h"

namespace warpbook::gpu {
namespace {

constexpr int deepest_alias = 8;  // nesting of typedefs

/// A declaration in the source.
struct Declared {
  std::string name, type;
  std::vector<Tokens> extents;  // "[2][N]"
};

bool names_space(std::string_view token) { return one_of(token, {"__device__", "__constant__", "__managed__"}); }

/// The declared variables after a __constant__ or __device__, if that begins a variable declaration.
std::vector<Declared> declaration_at(const Tokens& tokens, std::size_t i) {
  Tokens words;
  std::size_t end = i;
  for (; end < tokens.size() && !one_of(tokens[end], {";", "{", "}"}); ++end) {
    if (one_of(tokens[end], {"__align__", "alignas", "__attribute__"}) && end + 1 < tokens.size() && tokens[end + 1] == "(") {
      end = behind_bracket(tokens, end + 1) - 1;
      continue;
    }
    words.push_back(tokens[end]);
    if (tokens[end] == "=") {  // "= {1, 2}" and "= f(3)" belong to it
      while (end + 1 < tokens.size() && !one_of(tokens[end + 1], {";", ","}))
        end = one_of(tokens[end + 1], {"(", "[", "{"}) ? behind_bracket(tokens, end + 1) - 1 : end + 1;
      words.pop_back();
    }
  }
  std::vector<Declared> all;
  std::string type;
  for (const Tokens& part : split_at_commas(words)) {
    Tokens own;
    Declared written;
    for (std::size_t k = 0; k < part.size(); ++k) {
      if (part[k] == "(") return {};  // a function
      if (part[k] == "[") {
        const std::size_t behind = behind_bracket(part, k);
        written.extents.emplace_back(part.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                                     part.begin() + static_cast<std::ptrdiff_t>(std::max(behind, k + 2)) - 1);
        k = behind - 1;
      } else if (!names_space(part[k]) &&
                 !one_of(part[k], {"static", "extern", "const", "volatile", "inline", "constexpr", "struct"})) {
        own.push_back(part[k]);
      }
    }
    if (own.empty() || !word(own.back())) return {};
    written.name = own.back();
    own.pop_back();
    if (all.empty()) type = joined(own);
    written.type = all.empty() ? type : type + joined(own);
    if (written.type.empty()) return {};
    all.push_back(std::move(written));
  }
  return all;
}

std::map<std::string, Declared> declarations_of(const Tokens& tokens) {
  std::map<std::string, Declared> all;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!names_space(tokens[i])) continue;
    for (Declared& written : declaration_at(tokens, i)) all.try_emplace(written.name, written);
  }
  return all;
}

/// The type that a typedef, a using or a macro of this name stands for. Empty: there is none.
std::string alias_of(std::string_view name, const Tokens& tokens, std::string_view source) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i] == "using" && tokens[i + 1] == name && tokens[i + 2] == "=") {
      const auto end = std::find(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.end(), ";");
      return joined(Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 3, end));
    }
    if (tokens[i] == name && tokens[i + 1] == ";") {
      std::size_t begin = i;
      while (begin > 0 && (word(tokens[begin - 1]) || tokens[begin - 1] == "*") && tokens[begin] != "typedef") --begin;
      if (tokens[begin] == "typedef")
        return joined(
            Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(begin) + 1, tokens.begin() + static_cast<std::ptrdiff_t>(i)));
    }
  }
  const std::string define = fmt::format("#define {} ", name);
  const std::size_t at = source.find(define);
  if (at == std::string_view::npos) return {};
  const std::size_t from = at + define.size();
  return joined(tokens_of(source.substr(from, source.find('\n', from) - from)));
}

std::optional<Numbers> numbers_of(std::string type, const Tokens& tokens, std::string_view source) {
  for (int depth = 0; depth < deepest_alias && !type.empty(); ++depth) {
    if (type.find('*') != std::string::npos) return Numbers{ScalarType::uint64, 1};
    if (const auto element = element_type(type)) return Numbers{*element, 1};
    if (const auto numbers = struct_numbers(source, type + "*")) return numbers;
    type = alias_of(type, tokens, source);
  }
  return std::nullopt;
}

std::size_t whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : 0;
}

/// The shape of the array of numbers: as declared, if the inner extents are plain numbers; otherwise one-dimensional.
std::vector<std::size_t> shape_of(const Declared& written, std::size_t count) {
  if (written.extents.empty() && count == 1) return {1};
  std::vector<std::size_t> inner;
  std::size_t product = 1;
  for (std::size_t i = 1; i < written.extents.size(); ++i) {
    const std::size_t extent = written.extents[i].size() == 1 ? whole_number(written.extents[i].front()) : 0;
    inner.push_back(extent);
    product *= extent;
  }
  if (product == 0 || count % product != 0) return {count};
  inner.insert(inner.begin(), count / product);
  return inner;
}

/// A declaration in PTX: ".const .align 4 .b8 filt[20] = {…};"
struct InPtx {
  std::string symbol;
  std::size_t bytes = 0, align = 1;
  bool constant = false, initialised = false;
};

std::vector<InPtx> variables_of_ptx(std::string_view ptx) {
  std::vector<InPtx> all;
  for (std::size_t at = 0; at < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    std::string_view line = ptx.substr(at, end - at);
    at = end + 1;
    for (const std::string_view linking : {".visible ", ".weak ", ".common "})
      if (line.starts_with(linking)) line.remove_prefix(linking.size());
    const bool constant = line.starts_with(".const ");
    if (!constant && !line.starts_with(".global ")) continue;
    const std::size_t equals = line.find('=');
    const std::string_view head = line.substr(0, std::min(equals, line.find(';')));
    InPtx variable{.symbol = {}, .bytes = 0, .constant = constant, .initialised = equals != std::string_view::npos};
    std::size_t count = 1, element = 0;
    bool align = false;
    for (std::size_t i = 0; i < head.size();) {
      std::size_t stop = std::min(head.find_first_of(" []", i), head.size());
      const std::string_view token = head.substr(i, stop - i);
      if (!token.empty()) {
        if (token == ".align") {
          align = true;
        } else if (align) {
          align = false;
          variable.align = std::max<std::size_t>(whole_number(token), 1);
        } else if (token.front() == '.') {
          const std::size_t digits = token.find_first_of("0123456789");
          if (digits != std::string_view::npos && token.find('.', 1) == std::string_view::npos)
            element = whole_number(token.substr(digits)) / 8;
        } else if (variable.symbol.empty()) {
          variable.symbol = token;
        } else {
          count = whole_number(token);
        }
      }
      i = stop + 1;
    }
    variable.bytes = count * element;
    if (!variable.symbol.empty() && variable.bytes > 0) all.push_back(std::move(variable));
  }
  return all;
}

/// The source name of a symbol: "n::table" for "_ZN1n5tableE".
std::string written_name(const std::string& symbol) {
  std::string name = demangled(symbol).value_or(symbol);
  for (const std::string_view unnamed : {"(anonymous namespace)::"}) {
    if (const std::size_t at = name.find(unnamed); at != std::string::npos) name.erase(at, unnamed.size());
  }
  if (const std::size_t at = name.find("_GLOBAL__N__"); at != std::string::npos)
    if (const std::size_t end = name.find("::", at); end != std::string::npos) name.erase(at, end + 2 - at);
  return name;
}

std::string_view last_part(std::string_view name) {
  const std::size_t at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

/// The host call that fills the variable: cudaMemcpyToSymbol(filt, …), cudaGetSymbolAddress(&p, filt).
std::string filled_by(std::string_view name, const Tokens& tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!one_of(tokens[i], {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", "cudaGetSymbolAddress", "cuModuleGetGlobal"}))
      continue;
    const auto open = std::find(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.end(), "(");
    const std::size_t behind = behind_bracket(tokens, static_cast<std::size_t>(open - tokens.begin()));
    for (std::size_t k = i + 1; k < behind; ++k)
      if (tokens[k] == name) return std::string(tokens[i]);
  }
  return {};
}

/// Visits the words of a PTX text that may be names.
template <class Visit>
void each_word(std::string_view text, Visit&& visit) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > at) visit(text.substr(at, end - at));
    at = end + 1;
  }
}

/// The position after the next ".entry" or ".func".
std::size_t behind_keyword(std::string_view ptx, std::size_t from) {
  for (std::size_t at = ptx.find('.', from); at != std::string_view::npos; at = ptx.find('.', at + 1))
    for (const std::string_view keyword : {".entry", ".func"})
      if (ptx.substr(at, keyword.size()) == keyword && at + keyword.size() < ptx.size() && !is_word(ptx[at + keyword.size()]))
        return at + keyword.size();
  return ptx.size();
}

/// The body of every function, by name: ".entry name(…) {", ".func (.param .b32 r) name(…)".
std::map<std::string_view, std::string_view> bodies_of(std::string_view ptx) {
  std::map<std::string_view, std::string_view> functions;
  for (std::size_t at = behind_keyword(ptx, 0); at < ptx.size();) {
    const std::size_t next = behind_keyword(ptx, at);
    const std::string_view own = ptx.substr(at, next - at);
    at = next;
    std::string_view rest = trimmed(own);
    if (rest.starts_with('(')) rest = trimmed(rest.substr(std::min(rest.find(')') + 1, rest.size())));
    const std::size_t open = own.find('{');
    if (open == std::string_view::npos || own.find(';') < open) continue;  // only a declaration
    functions[rest.substr(0, rest.find_first_of("( \n\t{"))] = own.substr(open, std::min(own.find("\n}", open), own.size()) - open);
  }
  return functions;
}

/// All words in the PTX of an entry and of the functions that it calls.
std::set<std::string_view> words_reached(std::string_view ptx, std::string_view entry) {
  const std::map<std::string_view, std::string_view> functions = bodies_of(ptx);
  std::vector<std::string_view> wanted{entry};
  std::set<std::string_view> seen{entry}, words;
  while (!wanted.empty()) {
    const auto found = functions.find(wanted.back());
    wanted.pop_back();
    if (found == functions.end()) continue;
    each_word(found->second, [&](std::string_view word) {
      words.insert(word);
      if (functions.contains(word) && seen.insert(word).second) wanted.push_back(word);
    });
  }
  return words;
}

}  // namespace

std::uint64_t constant_bytes(std::string_view ptx) {
  std::uint64_t bytes = 0;
  for (const InPtx& variable : variables_of_ptx(ptx)) {
    if (!variable.constant) continue;
    bytes = (bytes + variable.align - 1) / variable.align * variable.align + variable.bytes;
  }
  return bytes;
}

std::vector<Variable> list_variables(std::string_view ptx, std::string_view source) {
  std::vector<Variable> variables;
  const Tokens tokens = tokens_of(source);
  const std::map<std::string, Declared> declared = declarations_of(tokens);
  for (InPtx& in_ptx : variables_of_ptx(ptx)) {
    std::string name = written_name(in_ptx.symbol);
    const auto written = declared.find(std::string(last_part(name)));
    if (written == declared.end() && !source.empty()) continue;  // a string or a table that the compiler has made
    Variable variable{.symbol = std::move(in_ptx.symbol),
                      .type = {},
                      .array = {.name = std::move(name), .type = ScalarType::uint8, .shape = {in_ptx.bytes}},
                      .constant = in_ptx.constant,
                      .initialised = in_ptx.initialised,
                      .filled_by = {}};
    if (written != declared.end()) {
      variable.type = written->second.type;
      variable.filled_by = filled_by(written->first, tokens);
      const auto numbers = numbers_of(variable.type, tokens, source);
      if (numbers && in_ptx.bytes % size_of(numbers->type) == 0) {
        variable.array.type = numbers->type;
        variable.array.shape = shape_of(written->second, in_ptx.bytes / size_of(numbers->type));
      }
    }
    variables.push_back(std::move(variable));
  }
  return variables;
}

std::vector<const Variable*> used_variables(const Program& program, const Kernel& kernel) {
  std::vector<const Variable*> used;
  if (program.variables.empty()) return used;
  const std::set<std::string_view> words = words_reached(program.ptx, kernel.entry);
  for (const Variable& variable : program.variables)
    if (words.contains(variable.symbol)) used.push_back(&variable);
  return used;
}

std::vector<UnfilledVariable> unfilled_variables(const Program& program, const Kernel& kernel, const std::set<std::string>& given) {
  const auto needs_none = [&](const Variable& variable) {
    const bool counter = variable.filled_by.empty() && !variable.constant;  // it may be meant to start at zero
    return counter || variable.initialised || given.contains(variable.symbol);
  };
  std::vector<UnfilledVariable> unfilled;
  if (std::all_of(program.variables.begin(), program.variables.end(), needs_none)) return unfilled;
  for (const Variable* used : used_variables(program, kernel)) {
    const Variable& variable = *used;
    if (needs_none(variable)) continue;
    const std::string& name = variable.array.name;
    std::string sentence;
    if (variable.filled_by.empty())
      sentence = fmt::format("`{}` holds zeros: it is __constant__, and nothing has given it a value. Give it one.", name);
    else if (variable.constant)
      sentence =
          fmt::format("`{}` holds zeros: the host program fills it ({}), and the host program does not run here. Give it a value.",
                      name, variable.filled_by);
    else
      sentence = fmt::format(
          "`{}` began with zeros: the host program fills it ({}), and the host program does not run here. Give it a value.", name,
          variable.filled_by);
    unfilled.push_back({.name = name, .sentence = std::move(sentence)});
  }
  return unfilled;
}

Result<void> check_variable_bytes(const Variable& variable, std::size_t has, std::size_t bytes) {
  if (has == bytes) return {};
  return failure("cudaErrorInvalidValue", fmt::format("`{}` holds {} bytes, and {} were given.", variable.array.name, has, bytes));
}

Result<void> Device::write_variable(const ProgramPtr&, const Variable& variable, std::span<const std::byte>) {
  return failure("cudaErrorInvalidSymbol",
                 fmt::format("{} keeps no variables, so `{}` cannot be given a value.", info().name, variable.array.name));
}

Result<void> Device::read_variable(const ProgramPtr&, const Variable& variable, std::span<std::byte>) {
  return failure("cudaErrorInvalidSymbol",
                 fmt::format("{} keeps no variables, so `{}` cannot be read.", info().name, variable.array.name));
}

}  // namespace warpbook::gpu
