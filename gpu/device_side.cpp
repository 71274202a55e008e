#include "gpu/device_side.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "gpu/source_tokens.h"
#include "gpu/text.h"

namespace warpbook::gpu {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::string_view fixed_width_types = "#include <cstdint>";
constexpr std::size_t most_launches = 32;
constexpr std::size_t longest_launch = 64;  // most tokens of a template's arguments before <<<; beyond that, '<' is a comparison
constexpr std::size_t deepest = 64;         // nesting of namespaces and classes

bool space_word(std::string_view token) {
  return one_of(token, {"__global__", "__device__", "__constant__", "__shared__", "__managed__"});
}

/// A misspelt memory space or execution space, such as "__gloabl__". The compiler reports it.
bool like_space_word(std::string_view token) {
  if (!token.starts_with("__")) return false;
  if (token.starts_with("__global") || token.starts_with("__device")) return true;
  return token.ends_with("__") && !one_of(token, {"__host__", "__inline__", "__forceinline__", "__noinline__", "__restrict__",
                                                  "__attribute__", "__extension__", "__align__", "__launch_bounds__"});
}

/// A preprocessor directive with its continuation lines: its position, and its text from '#' on.
struct Directive {
  std::size_t begin = 0, end = 0;  // in the source; end: of the last line, without its newline
  std::string_view text;
};
std::vector<Directive> directives_of(std::string_view source) {
  std::vector<Directive> directives;
  for (std::size_t begin = 0; begin < source.size();) {
    std::size_t end = std::min(source.find('\n', begin), source.size());
    const std::string_view first = trimmed(source.substr(begin, end - begin));
    if (first.starts_with('#')) {
      while (end < source.size() && end > begin && source[end - 1] == '\\')
        end = std::min(source.find('\n', end + 1), source.size());
      directives.push_back({begin, end, trimmed(source.substr(begin, end - begin))});
    }
    begin = end + 1;
  }
  return directives;
}

/// Converts line ends to LF and removes a byte order mark.
std::string plain_lines(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') plain += text[i];
  return plain;
}

/// Reads the declarations of a source and blanks out host code.
class SourceReader {
 public:
  SourceReader(std::string_view text, const std::vector<std::string>& headers, std::span<const std::string_view> beside,
               const std::set<int>& refused)
      : plain_(plain_lines(text)), source_(plain_), refused_(refused) {
    const std::string_view source = source_;
    side_.text = source;
    for (const std::string_view other : beside) {
      const std::string plain = plain_lines(other);
      for (const Directive& directive : directives_of(plain)) read_macro(trimmed(directive.text.substr(1)));
    }
    for (std::size_t at = source.find('\n'); at != std::string_view::npos; at = source.find('\n', at + 1)) line_ends_.push_back(at);
    for (const Directive& directive : directives_of(source)) read(directive, headers);
    tokens_ = tokens_of(source);
    std::ptrdiff_t depth = 0;
    for (const std::string_view token : tokens_) {
      depth += one_of(token, {"(", "[", "{"}) ? 1 : one_of(token, {")", "]", "}"}) ? -1 : 0;
      if (depth < 0) break;
    }
    if (depth == 0) scope(0, tokens_.size(), {});
  }

  DeviceSide take() {
    // Including a C++ header also declares the fixed-width types, which kernels may use.
    std::vector<std::pair<std::size_t, std::string_view>> inserted;
    for (const std::size_t at : included_) inserted.emplace_back(at, fixed_width_types);
    for (const std::size_t at : both_sides_) inserted.emplace_back(at, "__device__ ");
    std::sort(inserted.begin(), inserted.end());
    std::string text;
    std::size_t from = 0;
    for (const auto& [at, words] : inserted) {
      text += side_.text.substr(from, at - from) + std::string(words);
      from = at;
    }
    side_.text = text + side_.text.substr(from);
    std::stable_sort(side_.left_out.begin(), side_.left_out.end(), [](const auto& a, const auto& b) { return a.line < b.line; });
    return std::move(side_);
  }

 private:
  // ---- preprocessor directives ----

  void read(const Directive& directive, const std::vector<std::string>& headers) {
    const std::string_view words = trimmed(directive.text.substr(1));
    if (words.starts_with("include")) {
      const std::size_t open = words.find_first_of("<\"");
      const std::size_t close = open == std::string_view::npos ? open : words.find_first_of(">\"", open + 1);
      if (close == std::string_view::npos) return;
      const std::string_view name = words.substr(open + 1, close - open - 1);
      if (!is_host_header(name) && std::find(headers.begin(), headers.end(), name) == headers.end()) return;
      const bool standard = words[open] == '<' && name.find_first_of("./") == std::string_view::npos;
      if (standard) included_.push_back(directive.begin);
      leave_out(std::string(words.substr(open, close + 1 - open)), directive.begin, directive.end, true);
    }
    read_macro(words);
  }

  void read_macro(std::string_view words) {
    if (!words.starts_with("define")) return;
    const Tokens body = tokens_of(words.substr(6));
    if (body.empty()) return;
    const bool marks = std::any_of(body.begin(), body.end(), [&](std::string_view token) { return is_mark(token); });
    if (marks) marks_.emplace(body.front());
    // A macro that is `extern "C" {` or its closing brace is not part of the declaration that follows it.
    if (std::all_of(body.begin() + 1, body.end(), [](std::string_view token) {
          return one_of(token, {"extern", "\"\"", "{", "}"});
        }))
      braces_.emplace(body.front());
  }

  /// __device__ or a similar word, or a macro that contains one.
  bool is_mark(std::string_view token) const { return space_word(token) || marks_.contains(token); }

  // ---- declarations ----

  /// `in`: the class whose members these are; empty outside of classes.
  void scope(std::size_t i, std::size_t end, std::string_view in) {
    if (++depth_ <= deepest)
      while (i < end) i = std::max(declaration(i, end, in), i + 1);
    --depth_;
  }

  std::size_t declaration(std::size_t begin, std::size_t end, std::string_view in) {
    const auto at = [&](std::size_t i) { return i < end ? tokens_[i] : std::string_view(); };
    std::size_t i = begin;
    if (at(i) == ";" || braces_.contains(at(i))) return i + 1;
    if (one_of(at(i), {"public", "private", "protected"}) && at(i + 1) == ":") return i + 2;
    if (at(i) == "extern" && at(i + 1) == "\"\"" && at(i + 2) == "{") return inside(i + 2, in);
    if (const std::size_t name = at(i) == "inline" ? i + 1 : i; at(name) == "namespace") {
      while (name < end && i < end && !one_of(at(i), {"{", ";"})) ++i;
      return at(i) == "{" ? inside(i, in) : i + 1;
    }
    // A macro that declares kernels and is used without a semicolon.
    if (marks_.contains(at(i)) && at(i + 1) == "(") {
      const std::size_t behind = behind_bracket(tokens_, i + 1);
      if (word(at(behind).empty() ? ";" : at(behind))) return behind;
    }
    if (one_of(at(i), {"using", "typedef", "static_assert"})) {
      const std::size_t behind = to_semicolon(i, end);
      if (names_host_types(begin, behind))
        blank(begin, behind);
      else
        keep(at(begin) == "using" ? std::string(at(begin + 1) == "namespace" ? at(begin + 2) : at(begin + 1))
                                  : variable_name(begin, behind),
             begin, behind);
      return behind;
    }
    while (at(i) == "template" && at(i + 1) == "<") i = behind_angles(i + 1, end);
    return rest(begin, i, end, in);
  }

  /// A class, a function or a variable; `i` is after the template's parameters.
  std::size_t rest(std::size_t begin, std::size_t i, std::size_t end, std::string_view in) {
    const std::size_t first = i;
    bool marked = false, constant = false, both = false, pointer = false, assigned = false, initialisers = false;
    std::size_t arguments = none;  // the opening bracket of a function's parameters
    std::size_t type = none;       // the index of struct, class, union or enum
    for (; i < end; ++i) {
      const std::string_view token = tokens_[i];
      if (is_mark(token) || like_space_word(token)) marked = true;
      if (token == "const") constant = true;
      if (one_of(token, {"constexpr", "consteval"})) both = true;
      if (token == "*" && !assigned) pointer = true;
      if (token == "=") assigned = true;
      if (one_of(token, {"struct", "class", "union", "enum"}) && type == none && arguments == none) type = i;
      if (token == ":" && arguments != none) initialisers = true;
      if (token == "operator") {  // its name is no assignment; of "operator()" the parameters come behind
        while (i + 1 < end && tokens_[i + 1] != "(") ++i;
        if (i + 3 < end && tokens_[i + 2] == ")" && tokens_[i + 3] == "(") i += 2;
        continue;
      }
      if (one_of(token, {"alignas", "__align__", "__attribute__", "__declspec", "decltype", "__launch_bounds__", "noexcept",
                         "explicit"}) &&
          i + 1 < end && tokens_[i + 1] == "(") {
        i = behind_bracket(tokens_, i + 1) - 1;
      } else if (token == "(" || token == "[") {
        if (token == "(" && arguments == none && !assigned) arguments = i;
        i = behind_bracket(tokens_, i) - 1;
      } else if (token == "{") {
        const std::size_t behind = behind_bracket(tokens_, i);
        if (type != none && arguments == none && !assigned) return behind_class(begin, type, i, behind, end);
        const bool body = arguments != none && !assigned && (!initialisers || one_of(tokens_[i - 1], {")", "}"}));
        if (body) {
          function(begin, first, behind, arguments, marked, both, in);
          return behind;
        }
        i = behind - 1;
      } else if (token == ";") {
        const std::size_t behind = i + 1;
        const bool declares_type = type != none && (i - type <= 2 || tokens_[type] == "enum");
        if (arguments != none && !assigned)
          function(begin, first, behind, arguments, marked, both, in);
        else if (in.empty() && !declares_type && !marked && !both && (!constant || pointer || names_host_types(begin, behind)))
          leave_out(variable_name(begin, i), begin, behind);
        else if (in.empty() && !marked)
          keep(variable_name(begin, i), begin, behind);
        return behind;
      }
    }
    return end;
  }

  std::size_t behind_class(std::size_t begin, std::size_t type, std::size_t open, std::size_t behind, std::size_t end) {
    const std::size_t whole = to_semicolon(behind, end);
    const bool outermost = in_class_ == 0;
    if (outermost && is_refused(begin, whole)) {
      leave_out(std::string(tokens_[type + 1]), begin, whole);
      return whole;
    }
    if (outermost) side_.unmarked.push_back({std::string(tokens_[type + 1]), line_at(position(begin)), line_at(end_of(whole - 1))});
    if (tokens_[type] == "enum") return whole;
    ++in_class_;
    scope(open + 1, behind - 1, tokens_[type + 1]);
    --in_class_;
    if (names_host_types(open, behind))  // a member that stays
      leave_out(std::string(tokens_[type + 1]), begin, whole);
    else if (whole > behind + 1)
      leave_out(variable_name(behind, whole), behind, whole - 1);
    return whole;
  }

  /// `first`: after the template's parameters.
  void function(std::size_t begin, std::size_t first, std::size_t behind, std::size_t arguments, bool marked, bool both,
                std::string_view in) {
    if (marked) return;
    const std::string_view before = arguments > begin ? tokens_[arguments - 1] : std::string_view();
    const bool ends_in_default = behind >= 2 && one_of(tokens_[behind - 2], {"default", "delete"});
    if (!in.empty() && ends_in_default) return;  // a defaulted function exists on both sides
    const std::string name = !before.empty() && word(before) ? std::string(before) + "()" : "an operator";
    if (both && !(in.empty() && is_refused(begin, behind))) {
      both_sides_.push_back(position(first));
      side_.unmarked.push_back({name, line_at(position(begin)), line_at(end_of(behind - 1))});
      return;
    }
    leave_out(name, begin, behind);
  }

  // ---- tokens ----

  std::size_t inside(std::size_t open, std::string_view in) {
    const std::size_t behind = behind_bracket(tokens_, open);
    scope(open + 1, behind - 1, in);
    return behind;
  }

  std::size_t to_semicolon(std::size_t i, std::size_t end) const {
    while (i < end && tokens_[i] != ";") i = one_of(tokens_[i], {"(", "[", "{"}) ? behind_bracket(tokens_, i) : i + 1;
    return std::min(i + 1, end);
  }

  std::size_t behind_angles(std::size_t open, std::size_t end) const {
    int depth = 0;
    for (std::size_t i = open; i < end; ++i) {
      if (tokens_[i] == "(") i = behind_bracket(tokens_, i) - 1;
      depth += tokens_[i] == "<" ? 1 : tokens_[i] == ">" ? -1 : 0;
      if (depth == 0) return i + 1;
    }
    return end;
  }

  bool names_host_types(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i + 2 < end; ++i) {
      if (!word(tokens_[i]) || side_.text[position(i)] == ' ') continue;
      if (tokens_[i] == "std" && tokens_[i + 1] == "::" &&
          one_of(tokens_[i + 2],
                 {"vector",   "string",  "map",         "unordered_map", "set",           "unordered_set", "list",
                  "deque",    "queue",   "stack",       "function",      "shared_ptr",    "unique_ptr",    "chrono",
                  "thread",   "mutex",   "ostream",     "istream",       "ifstream",      "ofstream",      "fstream",
                  "mt19937",  "cout",    "cerr",        "endl",          "cin",           "stringstream",  "future",
                  "optional", "variant", "string_view", "exception",     "runtime_error", "random_device"}))
        return true;
      if (tokens_[i] == "thrust" && tokens_[i + 1] == "::" && one_of(tokens_[i + 2], {"device_vector", "host_vector"})) return true;
    }
    return false;
  }

  /// The name in the first declarator: "h_data" in "float *h_data, *other;".
  std::string variable_name(std::size_t begin, std::size_t end) const {
    std::string name;
    for (std::size_t i = begin; i < end && !one_of(tokens_[i], {"=", ",", "[", "{", "("}); ++i)
      if (word(tokens_[i])) name = tokens_[i];
    return name;
  }

  // ---- text ----

  /// The token's position in the source. A literal is not a view of the source: its position is after the word before it.
  std::size_t position(std::size_t token) const {
    const std::less<> before;
    std::size_t behind = 0;
    for (;; --token) {
      const std::string_view words = tokens_[token];
      if (!before(words.data(), source_.data()) && before(words.data(), source_.data() + source_.size()))
        return static_cast<std::size_t>(words.data() - source_.data()) + behind;
      if (token == 0) return 0;
      behind = tokens_[token - 1].size();
    }
  }
  std::size_t end_of(std::size_t token) const { return std::min(position(token) + tokens_[token].size(), source_.size()); }
  int line_at(std::size_t at) const {
    return 1 + static_cast<int>(std::lower_bound(line_ends_.begin(), line_ends_.end(), at) - line_ends_.begin());
  }

  /// Blanks these tokens and the comments between them, but no preprocessor lines.
  void blank(std::size_t begin, std::size_t behind) {
    if (behind > begin) blank_text(position(begin), end_of(behind - 1), false);
  }
  void blank_text(std::size_t from, std::size_t to, bool directive) {
    bool line_start = directive;
    for (std::size_t i = from; i < to; ++i) {
      if (side_.text[i] == '#' && line_start && !directive) {
        while (i < to && side_.text[i] != '\n') i += side_.text[i] == '\\' ? 2 : 1;
        continue;
      }
      line_start = side_.text[i] == '\n' || (line_start && (side_.text[i] == ' ' || side_.text[i] == '\t'));
      if (side_.text[i] != '\n') side_.text[i] = ' ';
    }
  }

  /// Finds templates that only host code instantiates: "scale<float>" in `scale<float><<<grid, block>>>(…)`.
  void find_launches(std::size_t begin, std::size_t behind) {
    const auto at = [&](std::size_t i) { return i < behind ? tokens_[i] : std::string_view(); };
    for (std::size_t i = begin; i + 2 < behind; ++i) {
      if (!word(tokens_[i]) || at(i + 1) != "<" || at(i + 2) == "<") continue;
      const std::size_t open = behind_angles(i + 1, std::min(behind, i + longest_launch));
      if (at(open) != "<" || at(open + 1) != "<" || at(open + 2) != "<") continue;
      std::string launch =
          joined(Tokens(tokens_.begin() + static_cast<std::ptrdiff_t>(i), tokens_.begin() + static_cast<std::ptrdiff_t>(open)));
      if (side_.launches.size() < most_launches &&
          std::find(side_.launches.begin(), side_.launches.end(), launch) == side_.launches.end())
        side_.launches.push_back(std::move(launch));
    }
  }

  bool is_refused(std::size_t begin, std::size_t behind) const {
    const auto first = refused_.lower_bound(line_at(position(begin)));
    return first != refused_.end() && *first <= line_at(end_of(behind - 1));
  }
  /// Keeps a declaration that both sides may use, unless the compiler has refused it.
  void keep(std::string name, std::size_t begin, std::size_t behind) {
    if (is_refused(begin, behind)) return leave_out(std::move(name), begin, behind);
    side_.unmarked.push_back({std::move(name), line_at(position(begin)), line_at(end_of(behind - 1))});
  }

  void leave_out(std::string name, std::size_t begin, std::size_t behind) {
    if (behind <= begin) return;
    find_launches(begin, behind);
    leave_out(std::move(name), position(begin), end_of(behind - 1), false);
  }
  void leave_out(std::string name, std::size_t from, std::size_t to, bool directive) {
    side_.left_out.push_back({std::move(name), line_at(from), line_at(to)});
    blank_text(from, to, directive);
  }

  const std::string plain_;
  const std::string_view source_;
  Tokens tokens_;
  std::set<std::string, std::less<>> marks_;   // macros that contain __device__ or a similar word
  std::set<std::string, std::less<>> braces_;  // macros that are empty or only open or close a block
  const std::set<int>& refused_;
  std::vector<std::size_t> included_;    // positions where host C++ headers were included
  std::vector<std::size_t> both_sides_;  // positions where a __device__ is inserted, ascending
  std::vector<std::size_t> line_ends_;
  std::size_t depth_ = 0, in_class_ = 0;
  DeviceSide side_;
};

}  // namespace

bool DeviceSide::lacks(std::string_view word) const {
  return std::any_of(left_out.begin(), left_out.end(), [&](const LeftOut& each) { return each.is(word); });
}

DeviceSide device_side(std::string_view source, const std::vector<std::string>& headers, std::span<const std::string_view> beside,
                       const std::set<int>& refused) {
  return SourceReader(source, headers, beside, refused).take();
}

std::string without_host_code(const std::string& source, const std::vector<std::string>& left_out,
                              std::span<const std::string_view> beside) {
  if (left_out.empty()) return source;
  std::vector<std::string> headers;
  for (const std::string& name : left_out) {
    if (name.starts_with('<') || name.starts_with('"')) headers.push_back(name.substr(1, name.size() - 2));
  }
  const std::string text = device_side(source, headers, beside).text;
  std::string closed;
  bool blank = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
    if (!line.empty() || !blank) closed += line.empty() ? "\n" : text.substr(at, end - at) + '\n';
    blank = line.empty();
    at = end + 1;
  }
  if (closed.ends_with("\n\n")) closed.pop_back();
  return closed;
}

}  // namespace warpbook::gpu
