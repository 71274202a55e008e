#include "gpu/source_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "gpu/kernel_signatures.h"
#include "gpu/struct_members.h"
#include "gpu/text.h"

namespace warpbook::gpu {
namespace {

constexpr int deepest_value = 32;               // nesting of macros and of brackets
constexpr int deepest_operand = 32;             // nesting of operators: "- - - n", "(int)(float)n", "a ? b : c ? d : e"
constexpr std::size_t most_looked_at = 64;      // per token of the source
constexpr std::size_t most_expressions = 1000;  // evaluations for one expression

bool is_number(std::string_view token) { return !token.empty() && token.front() >= '0' && token.front() <= '9'; }

/// Whether two tokens are adjacent in the text, as in "1" "." "5f".
bool touch_in_text(std::string_view a, std::string_view b) { return a.data() + a.size() == b.data(); }

std::optional<Value> parsed_number(std::string text) {
  std::erase(text, '\'');
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const bool real = !hexadecimal && text.find_first_of(".eE") != std::string::npos;
  const bool single = !hexadecimal && (text.back() == 'f' || text.back() == 'F');
  if (real || single) return Value::real(std::strtod(text.c_str(), nullptr));
  while (!text.empty() && (text.back() == 'u' || text.back() == 'U' || text.back() == 'l' || text.back() == 'L')) text.pop_back();
  char* end = nullptr;
  const auto value = static_cast<std::int64_t>(std::strtoull(text.c_str(), &end, text.starts_with("0b") ? 2 : 0));
  if (end == nullptr || *end != '\0') return std::nullopt;
  return Value::of(value);
}

std::optional<Value> call_of(std::string_view name, const std::vector<Value>& given) {
  const auto real = [&](double (*function)(double)) -> std::optional<Value> {
    return given.size() == 1 ? std::optional(Value::real(function(given[0].as_real()))) : std::nullopt;
  };
  const bool whole = std::all_of(given.begin(), given.end(), [](const Value& v) { return v.kind == Value::Kind::whole; });
  if (one_of(name, {"min", "max", "fminf", "fmaxf", "fmin", "fmax", "MIN", "MAX"}) && given.size() == 2) {
    const bool least = name.find("in") != std::string_view::npos || name == "MIN";
    if (whole) return Value::of(least ? std::min(given[0].number, given[1].number) : std::max(given[0].number, given[1].number));
    return Value::real(least ? std::min(given[0].as_real(), given[1].as_real()) : std::max(given[0].as_real(), given[1].as_real()));
  }
  if (one_of(name, {"ceil", "ceilf"})) return real(std::ceil);
  if (one_of(name, {"floor", "floorf"})) return real(std::floor);
  if (one_of(name, {"round", "roundf"})) return real(std::round);
  if (one_of(name, {"sqrt", "sqrtf"})) return real(std::sqrt);
  if (one_of(name, {"log2", "log2f"})) return real(std::log2);
  if (one_of(name, {"fabs", "fabsf"})) return real(std::fabs);
  if (name == "abs" && given.size() == 1)
    return whole ? Value::of(std::abs(given[0].number)) : Value::real(std::fabs(given[0].reals));
  if (one_of(name, {"pow", "powf"}) && given.size() == 2) return Value::real(std::pow(given[0].as_real(), given[1].as_real()));
  if (name == "dim3" && given.size() <= 3) {
    Dim3 dim;
    std::uint32_t* const extents[] = {&dim.x, &dim.y, &dim.z};
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i].kind == Value::Kind::shape) return given.size() == 1 ? std::optional(given[0]) : std::nullopt;
      const std::int64_t extent = given[i].as_whole();
      if (extent < 0 || extent > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
      *extents[i] = static_cast<std::uint32_t>(extent);
    }
    return Value::shape(dim);
  }
  return std::nullopt;
}

/// Converts a value to this type.
std::optional<Value> converted(std::string_view type, const Value& value) {
  if (type == "dim3") return call_of("dim3", {value});
  const auto element = element_type(type);
  if (!element || value.kind == Value::Kind::shape) return std::nullopt;
  if (*element == ScalarType::float32) return Value::real(static_cast<double>(static_cast<float>(value.as_real())));
  if (*element == ScalarType::float64) return Value::real(value.as_real());
  if (std::fabs(value.as_real()) > 9e18) return std::nullopt;
  const std::int64_t whole = value.as_whole();
  switch (size_of(*element)) {
    case 1:
      return Value::of(*element == ScalarType::int8 ? std::int64_t{static_cast<std::int8_t>(whole)} : whole & 0xff);
    case 2:
      return Value::of(*element == ScalarType::int16 ? std::int64_t{static_cast<std::int16_t>(whole)} : whole & 0xffff);
    case 4:
      return Value::of(*element == ScalarType::int32 ? std::int64_t{static_cast<std::int32_t>(whole)} : whole & 0xffffffff);
    default:
      return Value::of(whole);
  }
}

std::optional<Value> compute(std::string_view op, const Value& a, const Value& b) {
  if (a.kind == Value::Kind::shape || b.kind == Value::Kind::shape) return std::nullopt;
  const bool whole = a.kind == Value::Kind::whole && b.kind == Value::Kind::whole;
  const double x = a.as_real(), y = b.as_real();
  if (op == "==") return Value::of(x == y);
  if (op == "!=") return Value::of(x != y);
  if (op == "<") return Value::of(x < y);
  if (op == ">") return Value::of(x > y);
  if (op == "<=") return Value::of(x <= y);
  if (op == ">=") return Value::of(x >= y);
  if (op == "&&") return Value::of(a.truth() && b.truth());
  if (op == "||") return Value::of(a.truth() || b.truth());
  if (!whole) {
    if (op == "+") return Value::real(x + y);
    if (op == "-") return Value::real(x - y);
    if (op == "*") return Value::real(x * y);
    if (op == "/") return Value::real(x / y);
    return std::nullopt;
  }
  const std::int64_t i = a.number, k = b.number;
  std::int64_t result = 0;
  if (op == "+") return __builtin_add_overflow(i, k, &result) ? std::nullopt : std::optional(Value::of(result));
  if (op == "-") return __builtin_sub_overflow(i, k, &result) ? std::nullopt : std::optional(Value::of(result));
  if (op == "*") return __builtin_mul_overflow(i, k, &result) ? std::nullopt : std::optional(Value::of(result));
  if (op == "/" || op == "%") {
    if (k == 0 || (k == -1 && i == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
    return Value::of(op == "/" ? i / k : i % k);
  }
  if (op == "<<" || op == ">>") {
    if (k < 0 || k > 62 || i < 0) return std::nullopt;
    return Value::of(op == "<<" ? i << k : i >> k);
  }
  if (op == "&") return Value::of(i & k);
  if (op == "|") return Value::of(i | k);
  if (op == "^") return Value::of(i ^ k);
  return std::nullopt;
}

/// Counts the nesting depth while it exists.
class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

struct Operator {
  std::string_view text;
  int binds = 0;
};
constexpr Operator operators[] = {{"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6}, {"&&", 2}, {"||", 1}, {"*", 10},
                                  {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<", 7},  {">", 7},  {"&", 5},  {"^", 4},  {"|", 3}};

}  // namespace

/// Evaluates one expression, from its first token to its last.
class Evaluation {
 public:
  Evaluation(const SourceValues& values, const Tokens& tokens, int depth) : values_(values), tokens_(tokens), depth_(depth) {}

  std::optional<Value> all() {
    if (depth_ > deepest_value || ++values_.begun_ > most_expressions) return std::nullopt;
    auto value = choice();
    return at_ == tokens_.size() ? value : std::nullopt;
  }

 private:
  [[nodiscard]] std::string_view peek(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : std::string_view();
  }
  bool take(std::string_view token) {
    if (peek() != token) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] std::optional<Value> inner(const Tokens& tokens) const { return Evaluation(values_, tokens, depth_ + 1).all(); }

  std::optional<Value> choice() {
    const Deeper deeper(operands_);
    if (operands_ > deepest_operand) return give_up();
    auto condition = binary(0);
    if (!take("?")) return condition;
    const auto then = choice();
    if (!take(":")) return std::nullopt;
    const auto otherwise = choice();
    if (!condition) return std::nullopt;
    return condition->truth() ? then : otherwise;
  }

  [[nodiscard]] Operator next_operator() const {
    for (const Operator& op : operators) {
      if (op.text.size() == 1 && peek() == op.text) return op;
      if (op.text.size() == 2 && peek() == op.text.substr(0, 1) && peek(1) == op.text.substr(1) && touch_in_text(peek(), peek(1)))
        return op;
    }
    return {};
  }

  std::optional<Value> binary(int least) {
    auto left = unary();
    for (;;) {
      const Operator op = next_operator();
      if (op.binds == 0 || op.binds <= least) return left;
      at_ += op.text.size();
      const auto right = binary(op.binds);
      left = left && right ? compute(op.text, *left, *right) : std::nullopt;
    }
  }

  /// Stops the evaluation.
  std::optional<Value> give_up() {
    at_ = tokens_.size() + 1;
    return std::nullopt;
  }

  std::optional<Value> unary() {
    const Deeper deeper(operands_);
    if (operands_ > deepest_operand) return give_up();
    if (take("+")) return unary();
    if (take("-")) {
      const auto value = unary();
      if (!value || value->kind == Value::Kind::shape) return std::nullopt;
      return value->kind == Value::Kind::real ? Value::real(-value->reals) : compute("-", Value::of(0), *value);
    }
    if (take("!")) {
      const auto value = unary();
      return value ? std::optional(Value::of(!value->truth())) : std::nullopt;
    }
    if (take("~")) {
      const auto value = unary();
      return value && value->kind == Value::Kind::whole ? std::optional(Value::of(~value->number)) : std::nullopt;
    }
    if (peek() == "(") {
      const std::size_t behind = behind_bracket(tokens_, at_);
      const Tokens within = part(at_ + 1, behind - 1);
      if (names_type(within)) {  // a cast
        at_ = behind;
        const auto value = unary();
        return value ? converted(resolved(joined(within)), *value) : std::nullopt;
      }
      at_ = behind;
      return inner(within);
    }
    return primary();
  }

  std::optional<Value> primary() {
    if (is_number(peek()) || (peek() == "." && is_number(peek(1)) && touch_in_text(peek(), peek(1)))) return literal();
    if (!word_here()) return give_up();
    if (peek() == "sizeof") return size_in_bytes();
    if (one_of(peek(), {"static_cast", "reinterpret_cast", "const_cast"})) return static_cast_of();
    if (peek() == "std" && peek(1) == "::") at_ += 2;
    const std::size_t begin = at_;
    const std::string name(peek());
    ++at_;
    while (peek() == "::" && at_ + 1 < tokens_.size()) at_ += 2;
    if (one_of(name, {"unsigned", "long", "short", "signed"}))
      while (one_of(peek(), {"int", "long", "char", "unsigned", "short"})) ++at_;
    const std::string full = joined(part(begin, at_));
    if (peek() == "(" || (peek() == "{" && name == "dim3")) return call(name, full);
    if (peek() == "." || (peek() == "-" && peek(1) == ">")) return member(begin, name);
    if (peek() == "[") {  // array elements are not tracked
      at_ = behind_bracket(tokens_, at_);
      return std::nullopt;
    }
    if (name == "true") return Value::of(1);
    if (name == "false") return Value::of(0);
    return named(name);
  }

  [[nodiscard]] bool word_here() const { return !peek().empty() && word(peek()); }

  std::optional<Value> named(const std::string& name) const {
    if (values_.has(name)) return values_.get(name);
    if (const auto macro = values_.macros_.find(name); macro != values_.macros_.end() && !macro->second.like_function)
      return inner(macro->second.body);
    return std::nullopt;
  }

  std::optional<Value> literal() {
    std::string text;
    std::string_view last;
    while (at_ < tokens_.size() && (last.empty() || touch_in_text(last, peek()))) {
      const bool sign = (peek() == "+" || peek() == "-") && !text.empty() && (text.back() == 'e' || text.back() == 'E') &&
                        !text.starts_with("0x");
      if (!is_number(peek()) && peek() != "." && !sign && !(last == "." && word_here())) break;
      text += peek();
      last = peek();
      ++at_;
    }
    return parsed_number(std::move(text));
  }

  std::optional<Value> size_in_bytes() {
    ++at_;
    Tokens what;
    if (peek() == "(") {
      const std::size_t behind = behind_bracket(tokens_, at_);
      what = part(at_ + 1, behind - 1);
      at_ = behind;
    } else {
      while (word_here() || peek() == "*") what.push_back(tokens_[at_++]);
    }
    const std::string type = resolved(joined(what));
    if (const auto size = size_of_type(type)) return Value::of(*size);
    return values_.ask ? values_.ask("sizeof(" + joined(what) + ")") : std::nullopt;
  }

  std::optional<Value> static_cast_of() {
    ++at_;
    if (peek() != "<") return std::nullopt;
    const auto close = std::find(tokens_.begin() + static_cast<std::ptrdiff_t>(at_), tokens_.end(), ">");
    const std::string type = joined(Tokens(tokens_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, close));
    at_ = static_cast<std::size_t>(close - tokens_.begin()) + 1;
    if (peek() != "(") return std::nullopt;
    const std::size_t behind = behind_bracket(tokens_, at_);
    const auto value = inner(part(at_ + 1, behind - 1));
    at_ = behind;
    return value ? converted(resolved(type), *value) : std::nullopt;
  }

  std::optional<Value> call(const std::string& name, const std::string& full) {
    const std::size_t behind = behind_bracket(tokens_, at_);
    const Tokens within = part(at_ + 1, behind - 1);
    at_ = behind;
    std::vector<std::optional<Value>> given;
    for (const Tokens& argument : split_at_commas(within)) given.push_back(inner(argument));
    if (const SourceValues::Macro* own = values_.function_of(name); own != nullptr && own->parameters.size() == given.size()) {
      SourceValues local = values_;
      for (std::size_t i = 0; i < given.size(); ++i) local.set(own->parameters[i], given[i]);
      const auto result = Evaluation(local, own->body, depth_ + 1).all();
      values_.begun_ = local.begun_;
      return result;
    }
    std::vector<Value> known;
    for (const auto& one : given) {
      if (!one) return std::nullopt;
      known.push_back(*one);
    }
    if (auto result = call_of(name, known)) return result;
    return known.size() == 1 ? converted(resolved(full), known[0]) : std::nullopt;  // float(n)
  }

  /// A member of a value: "block.x", "values.size()".
  std::optional<Value> member(std::size_t begin, const std::string& name) {
    at_ += peek() == "." ? 1 : 2;
    const std::string field(peek());
    ++at_;
    if (peek() == "(") at_ = behind_bracket(tokens_, at_);
    const auto value = named(name);
    if (value && value->kind == Value::Kind::shape) {
      if (field == "x") return Value::of(value->dim.x);
      if (field == "y") return Value::of(value->dim.y);
      if (field == "z") return Value::of(value->dim.z);
    }
    if (const std::string path = name + "." + field; values_.has(path)) return values_.get(path);  // a struct's member
    return values_.ask ? values_.ask(joined(part(begin, at_))) : std::nullopt;
  }

  [[nodiscard]] Tokens part(std::size_t begin, std::size_t end) const { return part_of(tokens_, begin, end); }

  [[nodiscard]] std::string resolved(const std::string& type) const {
    if (const auto alias = values_.types_.find(type); alias != values_.types_.end()) return alias->second;
    if (const auto macro = values_.macros_.find(type); macro != values_.macros_.end() && !macro->second.like_function)
      return joined(macro->second.body);
    return type;
  }
  [[nodiscard]] bool names_type(const Tokens& tokens) const {
    if (tokens.empty()) return false;
    const bool words =
        std::all_of(tokens.begin(), tokens.end(), [](std::string_view t) { return word(t) || t == "*" || t == "::"; });
    if (!words) return false;
    if (tokens.size() == 1 && values_.has(tokens[0])) return false;
    return size_of_type(resolved(joined(tokens))).has_value();
  }

  const SourceValues& values_;
  const Tokens tokens_;
  const int depth_;
  int operands_ = 0;
  std::size_t at_ = 0;
};

std::int64_t Value::as_whole() const {
  if (kind != Kind::real) return number;
  constexpr double most = 9.2e18;
  return std::isnan(reals) ? 0 : static_cast<std::int64_t>(std::clamp(reals, -most, most));
}

std::optional<std::int64_t> size_of_type(std::string_view type) {
  if (type.find('*') != std::string_view::npos && type.front() != '*') return 8;
  if (const auto element = element_type(type)) return static_cast<std::int64_t>(size_of(*element));
  if (const auto vector = vector_type(type)) return static_cast<std::int64_t>(size_of(vector->element)) * vector->width;
  return std::nullopt;
}

const SourceValues::Macro* SourceValues::function_of(std::string_view name) const {
  if (const auto macro = macros_.find(name); macro != macros_.end()) return macro->second.like_function ? &macro->second : nullptr;
  const auto function = functions_.find(name);
  return function == functions_.end() ? nullptr : &function->second;
}

void SourceValues::define(const std::string& name, const std::string& value) {
  macros_[name] = {.parameters = {}, .like_function = false, .body = tokens_of(texts_.emplace_back(value))};
}

std::optional<Value> SourceValues::get(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : found->second;
}

std::optional<Value> SourceValues::evaluate(const Tokens& tokens) const {
  begun_ = 0;
  return Evaluation(*this, tokens, 0).all();
}

void SourceValues::read(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line(trimmed(text.substr(at, end - at)));
    while (line.ends_with('\\') && end < text.size()) {
      line.pop_back();
      const std::size_t next = std::min(text.find('\n', end + 1), text.size());
      line += ' ' + std::string(trimmed(text.substr(end + 1, next - end - 1)));
      end = next;
    }
    at = end + 1;
    if (!line.starts_with('#')) continue;
    const std::string_view words = trimmed(std::string_view(line).substr(1));
    if (!words.starts_with("define") || words.size() < 8) continue;
    const std::string& kept = texts_.emplace_back(trimmed(words.substr(6)));
    Tokens body = tokens_of(kept);
    if (body.empty()) continue;
    const std::string name(body.front());
    Macro macro;
    macro.like_function = body.size() > 1 && body[1] == "(" && touch_in_text(body[0], body[1]);
    std::size_t behind = 1;
    if (macro.like_function) {
      behind = behind_bracket(body, 1);
      for (const Tokens& parameter :
           split_at_commas(Tokens(body.begin() + 2, body.begin() + static_cast<std::ptrdiff_t>(behind) - 1)))
        macro.parameters.push_back(joined(parameter));
    }
    body.erase(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(std::min(behind, body.size())));
    macro.body = std::move(body);
    macros_.try_emplace(name, std::move(macro));
  }
  const Tokens tokens = tokens_of(text);
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (tokens[i] == "typedef" || tokens[i] == "using") {
      const auto end = std::find(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.end(), ";");
      looked_at += static_cast<std::size_t>(end - tokens.begin()) - i;
      if (looked_at > most_looked_at * tokens.size()) break;  // too much work: declarations without end
      const Tokens words(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1, end);
      if (tokens[i] == "using" && words.size() > 2 && words[1] == "=")
        types_.try_emplace(std::string(words[0]), joined(Tokens(words.begin() + 2, words.end())));
      else if (tokens[i] == "typedef" && words.size() >= 2 && word(words.back()))
        types_.try_emplace(std::string(words.back()), joined(Tokens(words.begin(), words.end() - 1)));
      continue;
    }
    if (!word(tokens[i]) || tokens[i + 1] != "(") continue;
    const std::size_t behind = behind_bracket(tokens, i + 1);
    looked_at += behind - i;
    if (looked_at > most_looked_at * tokens.size()) break;  // too much work: brackets without end
    if (behind + 2 >= tokens.size() || tokens[behind] != "{" || tokens[behind + 1] != "return") continue;
    const std::size_t close = behind_bracket(tokens, behind);
    const auto semicolon = std::find(tokens.begin() + static_cast<std::ptrdiff_t>(behind), tokens.end(), ";");
    if (static_cast<std::size_t>(semicolon - tokens.begin()) + 2 != close) continue;
    Macro function;
    function.like_function = true;
    for (const Tokens& parameter : split_at_commas(
             Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 2, tokens.begin() + static_cast<std::ptrdiff_t>(behind) - 1)))
      function.parameters.emplace_back(parameter.empty() ? std::string_view() : parameter.back());
    function.body = Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(behind) + 2, semicolon);
    functions_.try_emplace(std::string(tokens[i]), std::move(function));
  }
}

}  // namespace warpbook::gpu
