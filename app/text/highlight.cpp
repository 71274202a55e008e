#include "app/text/highlight.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

namespace warpbook::app {
namespace {

constexpr auto keywords = std::to_array<std::string_view>({"alignas",
                                                           "alignof",
                                                           "auto",
                                                           "bool",
                                                           "break",
                                                           "case",
                                                           "char",
                                                           "class",
                                                           "const",
                                                           "const_cast",
                                                           "constexpr",
                                                           "continue",
                                                           "decltype",
                                                           "default",
                                                           "delete",
                                                           "do",
                                                           "double",
                                                           "else",
                                                           "enum",
                                                           "explicit",
                                                           "extern",
                                                           "false",
                                                           "float",
                                                           "for",
                                                           "friend",
                                                           "goto",
                                                           "if",
                                                           "inline",
                                                           "int",
                                                           "int16_t",
                                                           "int32_t",
                                                           "int64_t",
                                                           "int8_t",
                                                           "long",
                                                           "mutable",
                                                           "namespace",
                                                           "new",
                                                           "noexcept",
                                                           "nullptr",
                                                           "operator",
                                                           "private",
                                                           "protected",
                                                           "public",
                                                           "register",
                                                           "reinterpret_cast",
                                                           "return",
                                                           "short",
                                                           "signed",
                                                           "size_t",
                                                           "sizeof",
                                                           "static",
                                                           "static_assert",
                                                           "static_cast",
                                                           "struct",
                                                           "switch",
                                                           "template",
                                                           "this",
                                                           "true",
                                                           "typedef",
                                                           "typename",
                                                           "uint16_t",
                                                           "uint32_t",
                                                           "uint64_t",
                                                           "uint8_t",
                                                           "union",
                                                           "unsigned",
                                                           "using",
                                                           "virtual",
                                                           "void",
                                                           "volatile",
                                                           "while"});
constexpr auto qualifiers =
    std::to_array<std::string_view>({"__align__", "__constant__", "__device__", "__forceinline__", "__global__", "__host__",
                                     "__launch_bounds__", "__managed__", "__noinline__", "__restrict__", "__shared__"});
constexpr auto builtins =
    std::to_array<std::string_view>({"assert", "blockDim", "blockIdx", "gridDim", "printf", "threadIdx", "warpSize"});
static_assert(std::is_sorted(keywords.begin(), keywords.end()) && std::is_sorted(qualifiers.begin(), qualifiers.end()) &&
              std::is_sorted(builtins.begin(), builtins.end()));

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) { return starts_name(c) || is_digit(c); }

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::binary_search(list.begin(), list.end(), word);
}

CodeKind kind_of_name(std::string_view word) {
  if (contains(keywords, word)) return CodeKind::keyword;
  // Synchronisation stands with the qualifiers: it is what a kernel's structure hangs on.
  if (contains(qualifiers, word) || word.starts_with("__sync") || word.starts_with("__threadfence")) return CodeKind::qualifier;
  if (contains(builtins, word) || word.starts_with("atomic") || word.starts_with("__shfl") || word.starts_with("__ballot") ||
      word.starts_with("__any") || word.starts_with("__all") || word.starts_with("__activemask") || word.starts_with("__popc")) {
    return CodeKind::builtin;
  }
  return CodeKind::plain;
}

/// The macro-coloured part of a directive: "#" with its blanks and its word.
std::size_t end_of_directive(std::string_view line, std::size_t hash) {
  std::size_t end = hash + 1;
  while (end < line.size() && (line[end] == ' ' || line[end] == '\t')) ++end;
  while (end < line.size() && in_name(line[end])) ++end;
  return end;
}

std::size_t end_of_quoted(std::string_view line, std::size_t at) {
  const char quote = line[at++];
  while (at < line.size() && line[at] != quote) at += line[at] == '\\' ? 2 : 1;
  return std::min(at + 1, line.size());
}

std::size_t end_of_number(std::string_view line, std::size_t at) {
  for (; at < line.size(); ++at) {
    const char c = line[at];
    const bool exponent_sign = (c == '+' || c == '-') && (line[at - 1] == 'e' || line[at - 1] == 'E' || line[at - 1] == 'p');
    if (!in_name(c) && c != '.' && c != '\'' && !exponent_sign) break;
  }
  return at;
}

std::vector<CodeSpan> highlight_line(std::string_view line, bool& in_comment) {
  std::vector<CodeSpan> spans;
  std::size_t at = 0;
  const auto add = [&](std::size_t end, CodeKind kind) {
    if (kind != CodeKind::plain && end > at) spans.push_back({at, end, kind});
    at = end;
  };
  const auto comment = [&](std::size_t search_from) {
    const auto end = line.find("*/", search_from);
    in_comment = end == std::string_view::npos;
    add(in_comment ? line.size() : end + 2, CodeKind::comment);
  };
  if (in_comment) comment(0);
  bool first = true;  // nothing but blanks so far
  while (at < line.size()) {
    const char c = line[at];
    if (c == ' ' || c == '\t') {
      ++at;
      continue;
    }
    if (line.substr(at).starts_with("//")) {
      add(line.size(), CodeKind::comment);
    } else if (line.substr(at).starts_with("/*")) {
      comment(at + 2);
    } else if (c == '#' && first) {
      const std::size_t end = end_of_directive(line, at);
      const bool include = line.substr(at, end - at).ends_with("include");
      add(end, CodeKind::macro);
      const auto angle = line.find('<', at);
      if (include && angle != std::string_view::npos) {
        at = angle;
        const auto close = line.find('>', at);
        add(close == std::string_view::npos ? line.size() : close + 1, CodeKind::string);
      }
    } else if (c == '"' || c == '\'') {
      add(end_of_quoted(line, at), CodeKind::string);
    } else if (is_digit(c) || (c == '.' && at + 1 < line.size() && is_digit(line[at + 1]))) {
      add(end_of_number(line, at + 1), CodeKind::number);
    } else if (starts_name(c)) {
      std::size_t end = at;
      while (end < line.size() && in_name(line[end])) ++end;
      CodeKind kind = kind_of_name(line.substr(at, end - at));
      // threadIdx.x is one thing to a reader.
      if (kind == CodeKind::builtin && end + 1 < line.size() && line[end] == '.' && line[end + 1] >= 'x' && line[end + 1] <= 'z' &&
          (end + 2 == line.size() || !in_name(line[end + 2]))) {
        end += 2;
      }
      add(end, kind);
    } else {
      ++at;
    }
    first = false;
  }
  return spans;
}

using Macros = std::map<std::string, std::string, std::less<>>;

/// An #if condition. Every function returns nothing where the condition is beyond it.
class Condition {
 public:
  Condition(std::string_view text, const Macros& macros) : text_(text), macros_(macros) {}

  [[nodiscard]] std::optional<long long> value() {
    const auto result = any_of();
    blanks();
    return at_ == text_.size() ? result : std::nullopt;
  }

 private:
  using Value = std::optional<long long>;

  Value any_of() {
    Value left = all_of();
    while (left && take("||")) {
      const Value right = all_of();
      left = right ? Value(*left != 0 || *right != 0) : std::nullopt;
    }
    return left;
  }
  Value all_of() {
    Value left = compared();
    while (left && take("&&")) {
      const Value right = compared();
      left = right ? Value(*left != 0 && *right != 0) : std::nullopt;
    }
    return left;
  }
  Value compared() {
    const Value left = single();
    for (const std::string_view op : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!left || !take(op)) continue;
      const Value right = single();
      if (!right) return std::nullopt;
      if (op == "==") return *left == *right;
      if (op == "!=") return *left != *right;
      if (op == "<=") return *left <= *right;
      if (op == ">=") return *left >= *right;
      return op == "<" ? *left < *right : *left > *right;
    }
    return left;
  }
  Value single() {
    if (take("!")) {
      const Value inner = single();
      return inner ? Value(*inner == 0) : std::nullopt;
    }
    if (take("(")) {
      const Value inner = any_of();
      return take(")") ? inner : std::nullopt;
    }
    blanks();
    if (at_ == text_.size()) return std::nullopt;
    if (is_digit(text_[at_])) return number(word());
    if (!starts_name(text_[at_])) return std::nullopt;
    std::string_view name = word();
    if (name == "defined") {
      const bool bracket = take("(");
      blanks();
      name = word();
      if (name.empty() || (bracket && !take(")"))) return std::nullopt;
      return macros_.contains(name);
    }
    // An unknown name is 0, as the preprocessor has it; a name may stand for another.
    for (int depth = 0; depth < 8; ++depth) {
      const auto it = macros_.find(name);
      if (it == macros_.end()) return 0;
      if (it->second.empty()) return std::nullopt;
      if (!starts_name(it->second.front())) return number(it->second);
      name = it->second;
    }
    return std::nullopt;
  }
  static Value number(std::string_view digits) {
    while (!digits.empty() && (digits.back() == 'u' || digits.back() == 'U' || digits.back() == 'l' || digits.back() == 'L')) {
      digits.remove_suffix(1);
    }
    long long value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  }
  std::string_view word() {
    std::size_t end = at_;
    while (end < text_.size() && in_name(text_[end])) ++end;
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end;
    return found;
  }
  bool take(std::string_view token) {
    blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    if (token == "!" && text_.substr(at_).starts_with("!=")) return false;
    at_ += token.size();
    return true;
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  std::string_view text_;
  const Macros& macros_;
  std::size_t at_ = 0;
};

/// "#  if  X // why" → {"if", "X"}; an empty word where the line is no directive.
std::pair<std::string_view, std::string_view> directive_of(std::string_view line) {
  const auto hash = line.find_first_not_of(" \t");
  if (hash == std::string_view::npos || line[hash] != '#') return {};
  const auto begin = line.find_first_not_of(" \t", hash + 1);
  if (begin == std::string_view::npos) return {};
  const auto end = end_of_directive(line, hash);
  std::string_view rest = line.substr(end);
  for (const std::string_view comment : {"//", "/*"}) rest = rest.substr(0, rest.find(comment));
  const auto first = rest.find_first_not_of(" \t"), last = rest.find_last_not_of(" \t");
  rest = first == std::string_view::npos ? std::string_view() : rest.substr(first, last - first + 1);
  return {line.substr(begin, end - begin), rest};
}

}  // namespace

std::vector<std::vector<CodeSpan>> highlight(const std::vector<std::string>& lines) {
  std::vector<std::vector<CodeSpan>> all;
  all.reserve(lines.size());
  bool in_comment = false;
  for (const std::string& line : lines) all.push_back(highlight_line(line, in_comment));
  return all;
}

std::vector<bool> inactive_lines(const std::vector<std::string>& lines, const Defines& defines) {
  struct Level {
    bool outer = true;     // what surrounds it is compiled
    bool active = true;    // this branch is
    bool taken = false;    // some branch certainly was
    bool unknown = false;  // a condition could not be read: nothing of this level is dimmed
  };
  Macros macros(defines.begin(), defines.end());
  std::vector<Level> levels;
  std::vector<bool> inactive(lines.size(), false);
  const auto active = [&] { return levels.empty() || levels.back().active; };
  const auto enter = [&](std::optional<bool> condition) {
    const bool outer = active();
    levels.push_back({.outer = outer,
                      .active = outer && condition.value_or(true),
                      .taken = condition.value_or(false),
                      .unknown = !condition.has_value()});
  };
  const auto truth = [&](std::string_view text) -> std::optional<bool> {
    const auto value = Condition(text, macros).value();
    return value ? std::optional<bool>(*value != 0) : std::nullopt;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto [word, rest] = directive_of(lines[i]);
    if (word == "if") {
      inactive[i] = !active();
      enter(truth(rest));
    } else if (word == "ifdef" || word == "ifndef") {
      inactive[i] = !active();
      enter(macros.contains(rest) == (word == "ifdef"));
    } else if ((word == "elif" || word == "else") && !levels.empty()) {
      Level& level = levels.back();
      inactive[i] = !level.outer;
      const std::optional<bool> condition = word == "else" ? std::optional<bool>(true) : truth(rest);
      level.unknown = level.unknown || !condition;
      level.active = level.outer && (level.unknown || (!level.taken && condition.value_or(true)));
      level.taken = level.taken || condition.value_or(false);
    } else if (word == "endif" && !levels.empty()) {
      inactive[i] = !levels.back().outer;
      levels.pop_back();
    } else {
      inactive[i] = !active();
      if (!active()) continue;
      const auto space = std::min(rest.find_first_of(" \t("), rest.size());
      if (word == "define" && (space == rest.size() || rest[space] != '(')) {
        const auto value = rest.find_first_not_of(" \t", space);
        macros[std::string(rest.substr(0, space))] = value == std::string_view::npos ? "" : std::string(rest.substr(value));
      } else if (word == "undef") {
        macros.erase(std::string(rest));
      }
    }
  }
  return inactive;
}

}  // namespace warpbook::app
