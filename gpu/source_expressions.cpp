#include "gpu/source_expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "gpu/source_tokens.h"

namespace warpbook::gpu {
namespace {

constexpr int deepest_expression = 64;

bool is_number(const DebugType& type) { return is_whole_number(type) || type.kind == DebugType::Kind::floating; }
bool has_sign(const DebugType& type) {
  return type.kind == DebugType::Kind::signed_integer || type.kind == DebugType::Kind::enumeration ||
         (type.kind == DebugType::Kind::character && !type.name.starts_with("unsigned"));
}

std::int64_t whole(const DebugType& type, std::uint64_t bits) {
  if (type.bytes >= 8) return static_cast<std::int64_t>(bits);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(type.bytes);
  return has_sign(type) ? static_cast<std::int64_t>(bits << unused) >> unused : static_cast<std::int64_t>(bits << unused >> unused);
}

double floating(const DebugType& type, std::uint64_t bits) {
  if (type.kind != DebugType::Kind::floating) {
    const std::int64_t number = whole(type, bits);
    return has_sign(type) ? static_cast<double>(number) : static_cast<double>(static_cast<std::uint64_t>(number));
  }
  return type.bytes == 4 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                         : std::bit_cast<double>(bits);
}

std::uint64_t bits_of(const DebugType& type, double value) {
  return type.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : std::bit_cast<std::uint64_t>(value);
}

/// C++'s usual arithmetic conversions.
const DebugType& common_type(const DebugType& a, const DebugType& b) {
  if (a.kind == DebugType::Kind::floating || b.kind == DebugType::Kind::floating) {
    const auto width = [](const DebugType& type) { return type.kind == DebugType::Kind::floating ? type.bytes : 4; };
    return number_type(DebugType::Kind::floating, std::max(width(a), width(b)));
  }
  const auto width = [](const DebugType& type) { return std::max<std::uint64_t>(4, type.bytes); };
  const std::uint64_t bytes = std::max(width(a), width(b));
  const auto decides = [&](const DebugType& type) { return type.bytes == bytes && !has_sign(type); };
  return number_type(decides(a) || decides(b) ? DebugType::Kind::unsigned_integer : DebugType::Kind::signed_integer, bytes);
}

/// The result of an arithmetic operator. Empty: the operator does not apply to such numbers. `bad`: division by zero.
std::optional<std::uint64_t> computed(std::string_view op, const DebugType& type, std::int64_t a, std::int64_t b, bool& bad) {
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  const bool sign = has_sign(type);
  const unsigned bits = static_cast<unsigned>(type.bytes * 8);
  if (op == "+") return ua + ub;
  if (op == "-") return ua - ub;
  if (op == "*") return ua * ub;
  if (op == "/" || op == "%") {
    bad = b == 0 || (sign && b == -1 && ua == std::uint64_t{1} << (bits - 1));
    if (bad) return 0;
    if (op == "/") return sign ? static_cast<std::uint64_t>(a / b) : ua / ub;
    return sign ? static_cast<std::uint64_t>(a % b) : ua % ub;
  }
  if (op == "&") return ua & ub;
  if (op == "|") return ua | ub;
  if (op == "^") return ua ^ ub;
  return std::nullopt;
}

std::optional<double> computed(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  return std::nullopt;
}

template <class T>
std::optional<bool> compared(std::string_view op, T a, T b) {
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  return std::nullopt;
}

/// Applies a binary operator to the numbers of one lane. Empty: there is no such operator.
std::optional<std::uint64_t> lane_of(std::string_view op, const DebugType& ta, std::uint64_t a, const DebugType& tb,
                                     std::uint64_t b, const DebugType& common, bool& bad) {
  if (common.kind == DebugType::Kind::floating) {
    double x = floating(ta, a), y = floating(tb, b);
    if (common.bytes == 4) x = static_cast<double>(static_cast<float>(x)), y = static_cast<double>(static_cast<float>(y));
    if (const auto truth = compared(op, x, y)) return *truth ? 1 : 0;
    const auto value = computed(op, x, y);
    return value ? std::optional(bits_of(common, *value)) : std::nullopt;
  }
  const std::int64_t x = whole(common, static_cast<std::uint64_t>(whole(ta, a))),
                     y = whole(common, static_cast<std::uint64_t>(whole(tb, b)));
  const auto truth =
      has_sign(common) ? compared(op, x, y) : compared(op, static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y));
  if (truth) return *truth ? 1 : 0;
  return computed(op, common, x, y, bad);
}

struct BinaryOperator {
  std::string_view text;
  int binds = 0;  // precedence; a larger number binds tighter
};
constexpr std::array<BinaryOperator, 18> binary_operators{{{"||", 1},
                                                           {"&&", 2},
                                                           {"|", 3},
                                                           {"^", 4},
                                                           {"&", 5},
                                                           {"==", 6},
                                                           {"!=", 6},
                                                           {"<=", 7},
                                                           {">=", 7},
                                                           {"<<", 8},
                                                           {">>", 8},
                                                           {"<", 7},
                                                           {">", 7},
                                                           {"+", 9},
                                                           {"-", 9},
                                                           {"*", 10},
                                                           {"/", 10},
                                                           {"%", 10}}};

/// Pointer arithmetic: moves a pointer by a number of elements.
std::optional<LaneValues> moved_pointer(std::string_view op, const LaneValues& from, const LaneValues& by,
                                        const ExpressionNames& names) {
  if ((op != "+" && op != "-") || from.type->kind != DebugType::Kind::pointer || !is_whole_number(*by.type)) return std::nullopt;
  LaneValues out = from;
  out.in_memory = false;
  const std::uint64_t size = names.type(from.type->target).bytes;
  for (unsigned l = 0; l < 32; ++l) {
    if (out.states[l] == ValueState::known) out.states[l] = by.states[l];
    const auto distance = static_cast<std::uint64_t>(whole(*by.type, by.bits[l])) * size;
    out.bits[l] = op == "+" ? from.bits[l] + distance : from.bits[l] - distance;
  }
  return out;
}

std::optional<LaneValues> pointed_to(const LaneValues& pointer, const ExpressionNames& names) {
  if (pointer.type->kind == DebugType::Kind::array)
    return element_of(pointer, same_in_all(number_type(DebugType::Kind::signed_integer, 4), 0), names);
  if (pointer.type->kind != DebugType::Kind::pointer) return std::nullopt;
  LaneValues where = pointer;
  where.addresses = pointer.bits;
  return names.at(names.type(pointer.type->target), where);
}

class ExpressionReader {
 public:
  ExpressionReader(const Tokens& tokens, const ExpressionNames& names) : tokens_(tokens), names_(names) {}

  std::optional<LaneValues> read() {
    auto value = binary(1);
    return value && at_ == tokens_.size() ? value : std::nullopt;
  }

 private:
  [[nodiscard]] std::string_view token(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : std::string_view();
  }
  /// Whether the next two tokens, which are single characters, form this operator.
  [[nodiscard]] bool pair(char first, char second) const {
    return token().size() == 1 && token(1).size() == 1 && token()[0] == first && token(1)[0] == second &&
           token(1).data() == token().data() + 1;
  }
  bool accept(std::string_view wanted) {
    if (token() != wanted) return false;
    ++at_;
    return true;
  }

  std::optional<BinaryOperator> next_operator() const {
    for (const BinaryOperator& op : binary_operators) {
      if (op.text.size() == 2 && pair(op.text[0], op.text[1])) return op;
      if (op.text.size() == 1 && token() == op.text) {
        const bool assigns = pair(op.text[0], '=') || pair(op.text[0], op.text[0]) || pair(op.text[0], '>');
        return assigns && op.text != "<" && op.text != ">" ? std::nullopt : std::optional(op);
      }
    }
    return std::nullopt;
  }

  std::optional<LaneValues> binary(int binds) {
    auto left = unary();
    while (left) {
      const auto op = next_operator();
      if (!op || op->binds < binds) break;
      at_ += op->text.size();
      const auto right = binary(op->binds + 1);
      left = right ? combined(op->text, *left, *right) : std::nullopt;
    }
    return left;
  }

  std::optional<LaneValues> combined(std::string_view op, const LaneValues& a, const LaneValues& b) {
    if (a.type->kind == DebugType::Kind::pointer) return moved_pointer(op, a, b, names_);
    if (!is_number(*a.type) || !is_number(*b.type)) return std::nullopt;
    if (op == "<<" || op == ">>") return shifted(op, a, b);
    const bool logical = op == "&&" || op == "||";
    const bool compares = logical || compared(op, 0, 0);
    const DebugType& common = common_type(*a.type, *b.type);
    LaneValues out;
    out.type = compares ? &number_type(DebugType::Kind::boolean, 1) : &common;
    for (unsigned l = 0; l < 32; ++l) {
      out.states[l] = a.states[l] != ValueState::known ? a.states[l] : b.states[l];
      bool bad = false;
      if (logical) {
        const bool x = floating(*a.type, a.bits[l]) != 0, y = floating(*b.type, b.bits[l]) != 0;
        out.bits[l] = (op == "&&" ? x && y : x || y) ? 1 : 0;
        continue;
      }
      const auto lane = lane_of(op, *a.type, a.bits[l], *b.type, b.bits[l], common, bad);
      if (!lane) return std::nullopt;
      out.bits[l] = *lane;
      if (bad && out.states[l] == ValueState::known) out.states[l] = ValueState::outside;
    }
    return out;
  }

  static std::optional<LaneValues> shifted(std::string_view op, const LaneValues& a, const LaneValues& b) {
    if (!is_whole_number(*a.type) || !is_whole_number(*b.type)) return std::nullopt;
    LaneValues out;
    out.type = &common_type(*a.type, *a.type);
    for (unsigned l = 0; l < 32; ++l) {
      out.states[l] = a.states[l] != ValueState::known ? a.states[l] : b.states[l];
      const std::int64_t value = whole(*a.type, a.bits[l]);
      const auto by = static_cast<unsigned>(whole(*b.type, b.bits[l])) & 63u;
      out.bits[l] = op == "<<"            ? static_cast<std::uint64_t>(value) << by
                    : has_sign(*out.type) ? static_cast<std::uint64_t>(value >> by)
                                          : static_cast<std::uint64_t>(value) >> by;
    }
    return out;
  }

  std::optional<LaneValues> unary() {
    if (++depth_ > deepest_expression) return std::nullopt;
    if (pair('-', '-') || pair('+', '+')) return std::nullopt;
    if (accept("*")) {
      const auto pointer = unary();
      return pointer ? pointed_to(*pointer, names_) : std::nullopt;
    }
    for (const std::string_view op : {"-", "+", "!", "~"}) {
      if (!accept(op)) continue;
      const auto value = unary();
      if (!value || !is_number(*value->type)) return std::nullopt;
      if (op == "+") return value;
      const LaneValues zero = same_in_all(number_type(DebugType::Kind::signed_integer, 4), 0);
      if (op == "-") {
        if (value->type->kind == DebugType::Kind::floating)
          return combined("*", *value, same_in_all(number_type(DebugType::Kind::signed_integer, 4), ~0ull));
        return combined("-", zero, *value);
      }
      return op == "!" ? combined("==", *value, zero)
                       : combined("^", *value, same_in_all(number_type(DebugType::Kind::signed_integer, 4), ~0ull));
    }
    return postfix();
  }

  std::optional<LaneValues> postfix() {
    auto value = primary();
    while (value) {
      // A reference stands for the object that it refers to.
      if (value->type->kind == DebugType::Kind::pointer && value->type->reference) value = pointed_to(*value, names_);
      if (!value) break;
      if (accept("[")) {
        const auto index = binary(1);
        value = index && accept("]") ? element_of(*value, *index, names_) : std::nullopt;
      } else if (token() == "." || pair('-', '>')) {
        const bool arrow = token() != ".";
        at_ += arrow ? 2 : 1;
        if (arrow) value = pointed_to(*value, names_);
        if (!value || token().empty()) return std::nullopt;
        value = names_.member(*value, tokens_[at_++]);
      } else {
        break;
      }
    }
    return value;
  }

  std::optional<LaneValues> primary() {
    if (accept("(")) {
      auto inner = binary(1);
      return inner && accept(")") ? inner : std::nullopt;
    }
    const std::string_view name = token();
    if (name.empty()) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) return literal();
    if (!word(name) || token(1) == "(" || token(1) == "::") return std::nullopt;
    ++at_;
    if (name == "true" || name == "false") return same_in_all(number_type(DebugType::Kind::boolean, 1), name == "true" ? 1 : 0);
    return names_.named(name);
  }

  std::optional<LaneValues> literal() {
    // Number literals like "1", "16u", "0x20", "0.5f" may be several tokens.
    const char* const begin = token().data();
    const char* end = begin + token().size();
    ++at_;
    while (at_ < tokens_.size() && token().data() == end && (token() == "." || is_word(token().front()))) {
      end += token().size();
      ++at_;
    }
    std::string text(begin, end);
    std::erase(text, '\'');
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (!hex && text.find_first_of(".eE") != text.npos) {
      char* stopped = nullptr;
      const double value = std::strtod(text.c_str(), &stopped);
      const DebugType& type = number_type(DebugType::Kind::floating, *stopped == 'f' || *stopped == 'F' ? 4 : 8);
      return same_in_all(type, bits_of(type, value));
    }
    char* stopped = nullptr;
    const std::uint64_t value = std::strtoull(text.c_str(), &stopped, 0);
    const std::string_view suffix = stopped;
    const bool is_unsigned = suffix.find_first_of("uU") != suffix.npos;
    const bool is_long =
        suffix.find_first_of("lL") != suffix.npos || value > 0xffffffffull || (value > 0x7fffffffull && !hex && !is_unsigned);
    if (suffix.find_first_not_of("uUlL") != suffix.npos) return std::nullopt;
    return same_in_all(number_type(is_unsigned || (hex && !is_long && value > 0x7fffffffull) ? DebugType::Kind::unsigned_integer
                                                                                             : DebugType::Kind::signed_integer,
                                   is_long ? 8 : 4),
                       value);
  }

  const Tokens& tokens_;
  const ExpressionNames& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// The index after the last index or member access that follows a name.
std::size_t behind_postfix(const Tokens& tokens, std::size_t at) {
  std::size_t end = at + 1;
  while (end < tokens.size()) {
    if (tokens[end] == "[") {
      end = behind_bracket(tokens, end);
    } else if (tokens[end] == "." && end + 1 < tokens.size() && word(tokens[end + 1])) {
      end += 2;
    } else if (tokens[end] == "-" && end + 2 < tokens.size() && tokens[end + 1] == ">" && word(tokens[end + 2])) {
      end += 3;
    } else {
      break;
    }
  }
  return end;
}

bool keeps_its_name(const Tokens& tokens, std::size_t at) {
  if (!word(tokens[at])) return false;
  if (at > 0 && (tokens[at - 1] == "." || tokens[at - 1] == "::")) return false;
  if (at > 1 && tokens[at - 1] == ">" && tokens[at - 2] == "-") return false;
  return at + 1 >= tokens.size() || (tokens[at + 1] != "(" && tokens[at + 1] != "::");
}

}  // namespace

const DebugType& number_type(DebugType::Kind kind, std::uint64_t bytes) {
  static const DebugType boolean{.kind = DebugType::Kind::boolean, .name = "bool", .bytes = 1};
  static const DebugType int32{.kind = DebugType::Kind::signed_integer, .name = "int", .bytes = 4};
  static const DebugType int64{.kind = DebugType::Kind::signed_integer, .name = "long long", .bytes = 8};
  static const DebugType uint32{.kind = DebugType::Kind::unsigned_integer, .name = "unsigned int", .bytes = 4};
  static const DebugType uint64{.kind = DebugType::Kind::unsigned_integer, .name = "unsigned long long", .bytes = 8};
  static const DebugType float32{.kind = DebugType::Kind::floating, .name = "float", .bytes = 4};
  static const DebugType float64{.kind = DebugType::Kind::floating, .name = "double", .bytes = 8};
  if (kind == DebugType::Kind::boolean) return boolean;
  if (kind == DebugType::Kind::floating) return bytes == 4 ? float32 : float64;
  if (kind == DebugType::Kind::unsigned_integer) return bytes == 8 ? uint64 : uint32;
  return bytes == 8 ? int64 : int32;
}

std::optional<LaneValues> element_of(const LaneValues& of, const LaneValues& index, const ExpressionNames& names) {
  if (!is_whole_number(*index.type)) return std::nullopt;
  if (of.type->kind == DebugType::Kind::pointer) {
    const auto there = moved_pointer("+", of, index, names);
    return there ? pointed_to(*there, names) : std::nullopt;
  }
  if (of.type->kind != DebugType::Kind::array || !of.in_memory || of.type->extents.empty()) return std::nullopt;
  const DebugType& innermost = names.type(of.type->target);
  LaneValues where = of;
  std::uint64_t size = innermost.bytes;
  std::shared_ptr<DebugType> row;  // for an array of arrays: the type of a row, with one extent less
  if (of.type->extents.size() > 1) {
    row = std::make_shared<DebugType>(*of.type);
    row->extents.erase(row->extents.begin());
    row->name = innermost.name;
    for (const std::uint64_t extent : row->extents) {
      size *= extent;
      row->name += fmt::format("[{}]", extent);
    }
    row->bytes = size;
  }
  for (unsigned l = 0; l < 32; ++l) {
    if (where.states[l] == ValueState::known) where.states[l] = index.states[l];
    where.addresses[l] += static_cast<std::uint64_t>(whole(*index.type, index.bits[l])) * size;
  }
  LaneValues found = names.at(row ? *row : innermost, where);
  found.made = row;
  return found;
}

bool is_whole_number(const DebugType& type) {
  return type.kind == DebugType::Kind::boolean || type.kind == DebugType::Kind::character ||
         type.kind == DebugType::Kind::signed_integer || type.kind == DebugType::Kind::unsigned_integer ||
         type.kind == DebugType::Kind::enumeration;
}
std::int64_t whole_number(const DebugType& type, std::uint64_t bits) { return whole(type, bits); }
double floating_number(const DebugType& type, std::uint64_t bits) { return floating(type, bits); }

LaneValues same_in_all(const DebugType& type, std::uint64_t bits) {
  LaneValues values;
  values.type = &type;
  values.bits.fill(bits);
  return values;
}

std::optional<LaneValues> evaluate(std::string_view expression, const ExpressionNames& names) {
  const Tokens tokens = tokens_of(expression);
  if (tokens.empty()) return std::nullopt;
  auto value = ExpressionReader(tokens, names).read();
  if (value && value->type->kind == DebugType::Kind::pointer && value->type->reference) {
    LaneValues where = *value;
    where.addresses = value->bits;
    return names.at(names.type(value->type->target), where);
  }
  return value;
}

std::vector<std::string> expressions_of(std::string_view line) {
  const Tokens tokens = tokens_of(line);
  std::vector<std::string> found;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (!keeps_its_name(tokens, t)) continue;
    std::size_t end = behind_postfix(tokens, t);
    // The name of a type in a declaration, or of a called member, is not a value.
    if (end < tokens.size() && tokens[end] == "(") continue;
    const bool target =
        t > 0 && tokens[t - 1] == "*" &&
        (t < 2 || !(is_word(tokens[t - 2].back()) || tokens[t - 2] == ")" || tokens[t - 2] == "]" || tokens[t - 2] == ">"));
    if (end == t + 1 && !target) continue;
    // The text as written, without surrounding blanks.
    const char* const begin = target ? tokens[t - 1].data() : tokens[t].data();
    std::string text(begin, tokens[end - 1].data() + tokens[end - 1].size());
    if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(std::move(text));
  }
  return found;
}

std::vector<std::string> names_of(std::string_view line) {
  const Tokens tokens = tokens_of(line);
  std::vector<std::string> found;
  for (std::size_t t = 0; t < tokens.size(); ++t)
    if (keeps_its_name(tokens, t) && std::find(found.begin(), found.end(), tokens[t]) == found.end()) found.emplace_back(tokens[t]);
  return found;
}

}  // namespace warpbook::gpu
