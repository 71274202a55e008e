#include "gpu/declared_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include "gpu/kernel_signatures.h"
#include "gpu/source_tokens.h"
#include "gpu/struct_members.h"
#include "gpu/text.h"

namespace warpbook::gpu {
namespace {

constexpr std::uint64_t most_extent = std::uint64_t{1} << 32;
constexpr std::string_view unnamed = "warpbook_unnamed";
constexpr int most_nested = 16;  // nesting of constants in constants, and of brackets

/// Names with a constant value: "#define N 256", "constexpr int n = 2 * N;".
class Constants {
 public:
  Constants(std::string_view source, const Tokens& tokens, const Defines& defines) {
    for (const auto& [name, value] : defines) texts_[name] = value;
    for (std::size_t at = 0; at < source.size();) {
      const std::size_t end = std::min(source.find('\n', at), source.size());
      read_define(source.substr(at, end - at));
      at = end + 1;
    }
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
      if (!one_of(tokens[i], {"const", "constexpr"})) continue;
      std::size_t at = i + 1;
      while (at < tokens.size() && word(tokens[at])) ++at;
      if (at >= tokens.size() || tokens[at] != "=" || at - i < 3) continue;
      const auto end = std::find(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens.end(), ";");
      texts_.try_emplace(std::string(tokens[at - 1]), joined({tokens.begin() + static_cast<std::ptrdiff_t>(at) + 1, end}));
    }
  }

  /// Evaluates sums and products of numbers and constants. Empty: the expression contains something else.
  [[nodiscard]] std::optional<std::uint64_t> value(const Tokens& tokens, int depth = 0) const {
    if (tokens.empty() || depth > most_nested) return std::nullopt;
    std::size_t at = 0;
    const auto found = sum(tokens, at, depth);
    return found && at == tokens.size() && *found < most_extent ? found : std::nullopt;
  }

 private:
  void read_define(std::string_view line) {
    // Tokens leave out preprocessor lines. With a word in front, the line is not recognised as one.
    const std::string behind_word = "x " + std::string(line.substr(std::min(line.find_first_not_of(" \t"), line.size())));
    const Tokens words = tokens_of(behind_word);
    if (words.size() < 5 || words[1] != "#" || words[2] != "define" || words[4] == "(") return;
    texts_.try_emplace(std::string(words[3]), joined({words.begin() + 4, words.end()}));
  }
  std::optional<std::uint64_t> sum(const Tokens& t, std::size_t& at, int depth) const {
    auto left = product(t, at, depth);
    while (left && at < t.size() && one_of(t[at], {"+", "-"})) {
      const bool plus = t[at++] == "+";
      const auto right = product(t, at, depth);
      if (!right || (!plus && *right > *left)) return std::nullopt;
      left = plus ? *left + *right : *left - *right;
    }
    return left;
  }
  std::optional<std::uint64_t> product(const Tokens& t, std::size_t& at, int depth) const {
    auto left = one(t, at, depth);
    while (left && at < t.size() && one_of(t[at], {"*", "/"})) {
      const bool times = t[at++] == "*";
      const auto right = one(t, at, depth);
      if (!right || *left > most_extent || (times ? *right > most_extent : *right == 0)) return std::nullopt;
      left = times ? *left * *right : *left / *right;
    }
    return left;
  }
  std::optional<std::uint64_t> one(const Tokens& t, std::size_t& at, int depth) const {
    if (at >= t.size() || depth > most_nested) return std::nullopt;
    if (t[at] == "(") {
      ++at;
      const auto inside = sum(t, at, depth + 1);
      if (at >= t.size() || t[at++] != ")") return std::nullopt;
      return inside;
    }
    const std::string_view token = t[at++];
    if (word(token)) {
      const auto known = texts_.find(token);
      return known == texts_.end() ? std::nullopt : value(tokens_of(known->second), depth + 1);
    }
    std::string_view digits = token;
    while (!digits.empty() && one_of(digits.substr(digits.size() - 1), {"u", "U", "l", "L"})) digits.remove_suffix(1);
    const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    if (hexadecimal) digits.remove_prefix(2);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, hexadecimal ? 16 : 10);
    if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
    return number;
  }

  std::map<std::string, std::string, std::less<>> texts_;
};

/// Numbers stay as they are; members of nested structs get their path as name: "pos.x".
void flatten(const std::vector<Parameter>& members, const std::string& path, std::uint32_t base,
             std::vector<DeclaredMember>& into) {
  std::uint32_t at = 0;
  for (const Parameter& member : members) {
    at = (at + member.align - 1) / std::max(member.align, 1u) * std::max(member.align, 1u);
    const std::string name = path.empty() ? member.name : path + "." + member.name;
    if (member.members.empty())
      into.push_back({name, base + at, member.size});
    else
      flatten(member.members, name, base + at, into);
    at += member.size;
  }
}

/// Sets the element's type. element_bytes stays 0 if the type is not understood.
void set_type(std::string_view source, const Tokens& type, DeclaredVariable& variable) {
  if (std::find(type.begin(), type.end(), "*") != type.end()) {
    variable.type = joined(type);
    variable.element_bytes = 8;
    return;
  }
  const std::string written = joined(type);
  variable.type = written == unnamed ? "struct" : written;
  if (const auto element = element_type(written)) {
    variable.element_bytes = static_cast<std::uint32_t>(size_of(*element));
    return;
  }
  const StructLayout layout = struct_layout(source, written);
  variable.element_bytes = layout.size;
  flatten(layout.members, {}, 0, variable.members);
}

class DeclarationReader {
 public:
  DeclarationReader(std::string_view source, const Defines& defines)
      : source_(source), tokens_(tokens_of(source)), constants_(source, tokens_, defines) {}

  std::vector<DeclaredVariable> read() {
    scan(0, tokens_.size(), {});
    return std::move(found_);
  }

 private:
  static bool storage(std::string_view token) {
    return one_of(token, {"__shared__", "__device__", "__constant__", "__managed__", "static", "extern", "inline", "constexpr"});
  }
  static bool statement(std::string_view token) {
    return one_of(
        token, {"return", "else",  "delete",  "goto",     "case",      "throw",  "new",   "if",    "for",  "while",    "do",
                "switch", "using", "typedef", "template", "namespace", "struct", "class", "union", "enum", "operator", "default"});
  }

  /// Scans the statements of a file, a namespace or a function's body, including nested braces.
  void scan(std::size_t at, std::size_t end, const std::string& function) {
    while (at < end) {
      if (one_of(tokens_[at], {";", "{", "}"})) {
        ++at;
        continue;
      }
      std::size_t stop = at;
      bool has_arguments = false;
      std::string name = function;
      while (stop < end && !one_of(tokens_[stop], {";", "{", "}"})) {
        if (tokens_[stop] == "(" || tokens_[stop] == "[") {
          if (tokens_[stop] == "(" && !has_arguments && function.empty() && stop > at) name = tokens_[stop - 1];
          has_arguments |= tokens_[stop] == "(";
          // A declaration inside `for (…)` or after `if (…)` is a statement of its own.
          const std::size_t behind = behind_bracket(tokens_, stop);
          if (tokens_[stop] == "(" && !function.empty() && stop > at &&
              one_of(tokens_[stop - 1], {"if", "for", "while", "switch"})) {
            stop = behind;
            at = behind;
            has_arguments = false;
            continue;
          }
          stop = std::max(behind, stop + 1);
        } else {
          ++stop;
        }
      }
      if (stop >= end) return;
      if (tokens_[stop] == "{") {
        const std::size_t behind = behind_bracket(tokens_, stop);
        const bool initialiser = stop > at && (tokens_[stop - 1] == "=" || tokens_[stop - 1] == "]");
        const bool aggregate = std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(at),
                                           tokens_.begin() + static_cast<std::ptrdiff_t>(stop), [](std::string_view t) {
                                             return one_of(t, {"struct", "class", "union", "enum"});
                                           });
        if (initialiser) {
          declare(at, stop, function);
        } else if (aggregate && !has_arguments) {
          declare_with_body(at, stop, behind, function);
          at = std::max(behind, at + 1);
          while (at < end && tokens_[at] != ";") ++at;
          continue;
        } else {
          scan(stop + 1, behind - 1, has_arguments || !function.empty() ? name : function);
        }
        at = std::max(behind, at + 1);
        continue;
      }
      if (tokens_[stop] == ";") declare(at, stop, function);
      at = stop + 1;
    }
  }

  /// `__shared__ struct { int v, i; } best;`
  void declare_with_body(std::size_t at, std::size_t open, std::size_t behind, const std::string& function) {
    const auto end = std::find(tokens_.begin() + static_cast<std::ptrdiff_t>(behind), tokens_.end(), ";");
    const bool stored = std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(at),
                                    tokens_.begin() + static_cast<std::ptrdiff_t>(open), storage);
    if (!stored || end == tokens_.end() || end == tokens_.begin() + static_cast<std::ptrdiff_t>(behind)) return;
    const std::string body =
        joined({tokens_.begin() + static_cast<std::ptrdiff_t>(open), tokens_.begin() + static_cast<std::ptrdiff_t>(behind)});
    const std::string with_body = std::string(source_) + "\nstruct " + std::string(unnamed) + " " + body + ";\n";
    const Tokens declarators(tokens_.begin() + static_cast<std::ptrdiff_t>(behind), end);
    for (const Tokens& part : split_at_commas(declarators)) add(where_of(at, open, function), {unnamed}, part, with_body, function);
  }

  DeclaredVariable::Where where_of(std::size_t at, std::size_t end, const std::string& function) const {
    for (std::size_t i = at; i < end; ++i)
      if (tokens_[i] == "__shared__") return DeclaredVariable::Where::shared;
    return function.empty() ? DeclaredVariable::Where::module : DeclaredVariable::Where::local;
  }

  void declare(std::size_t at, std::size_t end, const std::string& function) {
    const DeclaredVariable::Where where = where_of(at, end, function);
    Tokens declaration;
    for (std::size_t i = at; i < end; ++i) {
      if (statement(tokens_[i])) return;
      if (storage(tokens_[i]) || one_of(tokens_[i], {"const", "volatile"})) continue;
      if (one_of(tokens_[i], {"__align__", "alignas"}) && i + 1 < end) {
        i = behind_bracket(tokens_, i + 1) - 1;
        continue;
      }
      declaration.push_back(tokens_[i]);
    }
    Tokens base;
    for (Tokens part : split_at_commas(declaration)) {
      part.erase(std::find(part.begin(), part.end(), "="), part.end());
      const auto bracket = std::find(part.begin(), part.end(), "[");
      if (std::find(part.begin(), bracket, "(") != bracket || bracket == part.begin()) return;
      Tokens type(part.begin(), bracket - 1);
      if (base.empty()) {
        if (type.empty()) return;  // "a[3] = b;" is not a declaration
        base.assign(type.begin(), std::find(type.begin(), type.end(), "*"));
      } else {
        type.insert(type.begin(), base.begin(), base.end());
      }
      part.erase(part.begin(), bracket - 1);
      add(where, type, part, source_, function);
    }
  }

  /// Adds one declarator with this type, such as "tile[16][17]".
  void add(DeclaredVariable::Where where, const Tokens& type, const Tokens& declarator, std::string_view source,
           const std::string& function) {
    if (declarator.empty() || !word(declarator.front())) return;
    DeclaredVariable variable{.where = where, .name = std::string(declarator.front()), .function = function};
    variable.line = line_of(declarator.front());
    for (std::size_t i = 1; i < declarator.size() && declarator[i] == "[";) {
      const std::size_t behind = behind_bracket(declarator, i);
      const Tokens extent(declarator.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                          declarator.begin() + static_cast<std::ptrdiff_t>(std::max(behind, i + 2)) - 1);
      variable.extents.push_back(constants_.value(extent).value_or(0));
      i = behind;
    }
    if (where == DeclaredVariable::Where::local && !variable.is_array()) return;
    set_type(source, type, variable);
    found_.push_back(std::move(variable));
  }

  [[nodiscard]] std::uint32_t line_of(std::string_view token) const {
    const auto at = token.data() - source_.data();
    return 1 + static_cast<std::uint32_t>(std::count(source_.begin(), source_.begin() + at, '\n'));
  }

  std::string_view source_;
  Tokens tokens_;
  Constants constants_;
  std::vector<DeclaredVariable> found_;
};

std::uint64_t elements_of(const DeclaredVariable& variable) {
  std::uint64_t all = 1;
  for (const std::uint64_t extent : variable.extents) all *= extent;
  return all;
}

/// Rounds towards minus infinity, so that a byte before the start belongs to a negative element.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

}  // namespace

DeclaredVariables::DeclaredVariables(std::string_view source, const Defines& defines)
    : all_(DeclarationReader(source, defines).read()) {}

const DeclaredVariable* DeclaredVariables::find(std::string_view name, std::string_view function,
                                                DeclaredVariable::Where where) const {
  const DeclaredVariable* only = nullptr;
  bool several = false;
  for (const DeclaredVariable& variable : all_) {
    if (variable.name != name || variable.where != where) continue;
    if (!function.empty() && variable.function == function) {
      if (only && only->function == function) return nullptr;  // the function declares the name twice
      only = &variable;
      several = false;
    } else if (!only) {
      only = &variable;
    } else if (only->function != function) {
      several = true;
    }
  }
  return several ? nullptr : only;
}

std::optional<DeclaredVariable> pointed_to(std::string_view source, std::string_view name, std::string_view type) {
  Tokens tokens = tokens_of(type);
  if (std::count(tokens.begin(), tokens.end(), "*") != 1) return std::nullopt;
  std::erase_if(tokens, [](std::string_view token) { return token == "*" || qualifier(token); });
  DeclaredVariable variable{
      .where = DeclaredVariable::Where::pointed_to, .name = std::string(name), .function = {}, .extents = {0}};
  set_type(source, tokens, variable);
  if (variable.members.empty()) return std::nullopt;
  return variable;
}

bool takes(const DeclaredVariable& variable, std::uint64_t bytes) {
  if (!variable.element_bytes) return false;
  for (std::size_t i = 1; i < variable.extents.size(); ++i)
    if (!variable.extents[i]) return false;
  if (variable.is_array() && !variable.extents.front()) return bytes % variable.element_bytes == 0;
  return elements_of(variable) * variable.element_bytes == bytes;
}

std::string element_text(const DeclaredVariable& variable, std::int64_t distance, std::uint32_t bytes) {
  const std::int64_t size = std::max(variable.element_bytes, 1u);
  std::int64_t index = floor_divide(distance, size);
  const auto inside = static_cast<std::uint32_t>(distance - index * size);
  std::string text;
  for (std::size_t i = variable.extents.size(); i-- > 0;) {
    const auto extent = static_cast<std::int64_t>(variable.extents[i]);
    if (i == 0) {
      text = fmt::format("[{}]{}", index, text);
    } else {
      const std::int64_t rest = floor_divide(index, extent);
      text = fmt::format("[{}]{}", index - rest * extent, text);
      index = rest;
    }
  }
  text = variable.name + text;
  if (bytes >= variable.element_bytes && inside == 0) return text;
  for (const DeclaredMember& member : variable.members)
    if (inside >= member.offset && inside < member.offset + member.bytes) return text + "." + member.name;
  return text;
}

std::optional<std::vector<std::uint32_t>> places_of_pieces(const DeclaredVariable& variable,
                                                           const std::vector<std::uint64_t>& pieces) {
  // The parts, in their order.
  std::vector<DeclaredMember> parts;
  constexpr std::uint64_t most_parts = 256;
  const std::uint64_t elements = variable.is_array() ? elements_of(variable) : 1;
  if (!variable.element_bytes || elements == 0 || elements > most_parts) return std::nullopt;
  for (std::uint32_t e = 0; e < elements; ++e) {
    const std::uint32_t base = e * variable.element_bytes;
    if (variable.members.empty()) parts.push_back({{}, base, variable.element_bytes});
    for (const DeclaredMember& member : variable.members) parts.push_back({{}, base + member.offset, member.bytes});
  }
  // The assignment of pieces to parts is unique if matching from the left and from the right gives the same result.
  const auto first_fit = [&](bool reversed) -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> places;
    std::size_t part = 0;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const std::uint64_t bytes = pieces[reversed ? pieces.size() - 1 - p : p];
      const auto at = [&](std::size_t i) -> const DeclaredMember& { return parts[reversed ? parts.size() - 1 - i : i]; };
      while (part < parts.size() && at(part).bytes != bytes) ++part;
      if (part == parts.size()) return {};
      places.push_back(at(part++).offset);
    }
    if (reversed) std::reverse(places.begin(), places.end());
    return places;
  };
  std::vector<std::uint32_t> places = first_fit(false);
  if (places.empty() || places != first_fit(true)) return std::nullopt;
  return places;
}

}  // namespace warpbook::gpu
