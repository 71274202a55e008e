// Numbers, constant expressions and initialisers.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "gpu/virtual/ptx/parser_impl.h"

namespace warpbook::gpu::ptx {
namespace {

/// Precedence of a binary operator, C's; 0: not one.
int precedence(std::string_view symbol) {
  if (symbol == "*" || symbol == "/" || symbol == "%") return 10;
  if (symbol == "+" || symbol == "-") return 9;
  if (symbol == "<<" || symbol == ">>") return 8;
  if (symbol == "<" || symbol == ">" || symbol == "<=" || symbol == ">=") return 7;
  if (symbol == "==" || symbol == "!=") return 6;
  if (symbol == "&") return 5;
  if (symbol == "^") return 4;
  if (symbol == "|") return 3;
  if (symbol == "&&") return 2;
  if (symbol == "||") return 1;
  return 0;
}

bool is_integer(Type type) { return type == Type::s64 || type == Type::u64; }

}  // namespace

bool Parser::starts_constant() const {
  return now_.kind == Token::Kind::number || is("-") || is("+") || is("~") || is("!") || is("(") || is("WARP_SZ");
}

bool Parser::parse_number(Constant& out) {
  std::string_view text = now_.text;
  const auto malformed = [&] { return fail(fmt::format("'{}' is not a number.", now_.text)); };
  const auto read = [&](int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    out.bits = value;
    return error == std::errc() && end == text.data() + text.size();
  };
  const char prefix = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
  if (prefix == 'f' || prefix == 'F' || prefix == 'd' || prefix == 'D') {
    const bool single = prefix == 'f' || prefix == 'F';
    text.remove_prefix(2);
    if (text.size() != (single ? 8U : 16U) || !read(16)) return malformed();
    out.type = single ? Type::f32 : Type::f64;
    advance();
    return true;
  }
  const bool hexadecimal = prefix == 'x' || prefix == 'X', binary = prefix == 'b' || prefix == 'B';
  if (!hexadecimal && text.find_first_of(".eE") != text.npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return malformed();
    out = {Type::f64, std::bit_cast<std::uint64_t>(value)};
    advance();
    return true;
  }
  out.type = Type::s64;
  if (text.ends_with('U')) {
    out.type = Type::u64;
    text.remove_suffix(1);
  }
  int base = 10;
  if (hexadecimal || binary) {
    base = hexadecimal ? 16 : 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  if (text.empty() || !read(base)) return malformed();
  if (out.bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) out.type = Type::u64;
  advance();
  return true;
}

bool Parser::parse_conditional(Constant& out, std::size_t depth) {
  if (depth > max_nesting) return fail("this constant expression is nested too deeply.");
  if (!parse_binary(out, 1, depth)) return false;
  if (!accept("?")) return true;
  if (!is_integer(out.type)) return fail("the condition before '?' must be an integer.");
  Constant yes, no;
  if (!parse_conditional(yes, depth + 1) || !expect(":", "in a constant expression") || !parse_conditional(no, depth + 1))
    return false;
  out = out.bits != 0 ? yes : no;
  return true;
}

bool Parser::parse_binary(Constant& out, int least, std::size_t depth) {
  if (depth > max_nesting) return fail("this constant expression is nested too deeply.");
  if (!parse_unary(out, depth)) return false;
  while (now_.kind == Token::Kind::symbol) {
    const std::string_view symbol = now_.text;
    const int level = precedence(symbol);
    if (level == 0 || level < least) return true;
    advance();
    Constant right;
    if (!parse_binary(right, level + 1, depth + 1) || !apply(symbol, out, right)) return false;
  }
  return true;
}

bool Parser::parse_unary(Constant& out, std::size_t depth) {
  if (depth > max_nesting) return fail("this constant expression is nested too deeply.");
  if (accept("+")) return parse_unary(out, depth + 1);
  if (accept("-")) {
    if (!parse_unary(out, depth + 1)) return false;
    if (out.type == Type::f32)
      out.bits ^= 0x80000000U;
    else if (out.type == Type::f64)
      out.bits ^= std::uint64_t{1} << 63;
    else {
      out.bits = 0 - out.bits;
      out.type = Type::s64;
    }
    return true;
  }
  if (is("~") || is("!")) {
    const bool complement = is("~");
    advance();
    if (!parse_unary(out, depth + 1)) return false;
    if (!is_integer(out.type)) return fail("'~' and '!' take integers.");
    out.bits = complement ? ~out.bits : static_cast<std::uint64_t>(out.bits == 0);
    return true;
  }
  if (accept("WARP_SZ")) {
    out = {Type::s64, 32};
    return true;
  }
  if (accept("(")) {
    if (is(".s64") || is(".u64")) {
      const Type type = is(".s64") ? Type::s64 : Type::u64;
      advance();
      if (!expect(")", "after a cast") || !parse_unary(out, depth + 1)) return false;
      if (!is_integer(out.type)) return fail("only integers can be cast in a constant expression.");
      out.type = type;
      return true;
    }
    return parse_conditional(out, depth + 1) && expect(")", "in a constant expression");
  }
  if (now_.kind != Token::Kind::number) return fail_unexpected("a number");
  return parse_number(out);
}

bool Parser::apply(std::string_view symbol, Constant& left, const Constant& right) {
  if (!is_integer(left.type) || !is_integer(right.type)) return fail(fmt::format("'{}' takes integers here.", symbol));
  const bool is_unsigned = left.type == Type::u64 || right.type == Type::u64;
  const std::uint64_t a = left.bits, b = right.bits;
  const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
  Type type = is_unsigned ? Type::u64 : Type::s64;
  std::uint64_t value = 0;
  const auto truth = [&](bool is_true) {
    type = Type::s64;
    return static_cast<std::uint64_t>(is_true);
  };
  if (symbol == "+")
    value = a + b;
  else if (symbol == "-")
    value = a - b;
  else if (symbol == "*")
    value = a * b;
  else if (symbol == "/" || symbol == "%") {
    if (b == 0) return fail("division by zero in a constant expression.");
    const bool quotient = symbol == "/";
    if (is_unsigned)
      value = quotient ? a / b : a % b;
    else if (sb == -1)
      value = quotient ? 0 - a : 0;  // the one quotient that overflows
    else
      value = static_cast<std::uint64_t>(quotient ? sa / sb : sa % sb);
  } else if (symbol == "<<") {
    type = left.type;
    value = b < 64 ? a << b : 0;
  } else if (symbol == ">>") {
    type = left.type;
    if (type == Type::u64)
      value = b < 64 ? a >> b : 0;
    else
      value = static_cast<std::uint64_t>(sa >> std::min<std::uint64_t>(b, 63));
  } else if (symbol == "&")
    value = a & b;
  else if (symbol == "^")
    value = a ^ b;
  else if (symbol == "|")
    value = a | b;
  else if (symbol == "==")
    value = truth(a == b);
  else if (symbol == "!=")
    value = truth(a != b);
  else if (symbol == "<")
    value = truth(is_unsigned ? a < b : sa < sb);
  else if (symbol == ">")
    value = truth(is_unsigned ? a > b : sa > sb);
  else if (symbol == "<=")
    value = truth(is_unsigned ? a <= b : sa <= sb);
  else if (symbol == ">=")
    value = truth(is_unsigned ? a >= b : sa >= sb);
  else if (symbol == "&&")
    value = truth(a != 0 && b != 0);
  else if (symbol == "||")
    value = truth(a != 0 || b != 0);
  left = {type, value};
  return true;
}

bool Parser::parse_unsigned(std::uint64_t& out, std::string_view what) {
  Constant value;
  if (!parse_constant(value)) return false;
  if (!is_integer(value.type) || (value.type == Type::s64 && static_cast<std::int64_t>(value.bits) < 0))
    return fail(fmt::format("{} must be a whole number, zero or more.", what));
  out = value.bits;
  return true;
}

// --- Initialisers -------------------------------------------------------------------------------------------------------------

bool Parser::parse_initialiser(Variable& variable, const std::vector<std::uint64_t>& extents) {
  if (variable.space != Space::global && variable.space != Space::constant)
    return fail(fmt::format("'{}' cannot have an initial value: only .global and .const variables can.", variable.name));
  if (variable.size > max_initialised_bytes || initialised_bytes_ + variable.size > max_initialised_bytes)
    return fail("the initial values of this module take more than 64 MiB.");
  initialised_bytes_ += variable.size;
  variable.initial.assign(variable.size, std::byte{0});
  const std::uint64_t elements = variable.size / bytes_of(variable.type);
  masked_.clear();
  if (is("{")) {
    if (!parse_initialiser_level(variable, extents, 0, 0, elements)) return false;
  } else if (!parse_initial_element(variable, 0)) {
    return false;
  }
  return finish_masked(variable);
}

bool Parser::parse_initialiser_level(Variable& variable, const std::vector<std::uint64_t>& extents, std::size_t level,
                                     std::uint64_t first, std::uint64_t count) {
  if (!expect("{", "at an initialiser")) return false;
  const std::uint64_t stride = level < extents.size() && extents[level] > 0 ? count / extents[level] : 1;
  std::uint64_t at = 0;  // elements of this level so far
  while (!is("}")) {
    if (at >= count) return fail(fmt::format("'{}' has more initial values than elements.", variable.name));
    if (is("{")) {
      if (level + 1 >= extents.size() || stride == 0 || at % stride != 0)
        return fail(fmt::format("the braces of the initial value of '{}' do not fit its dimensions.", variable.name));
      if (!parse_initialiser_level(variable, extents, level + 1, first + at, stride)) return false;
      at += stride;
    } else {
      if (!parse_initial_element(variable, first + at)) return false;
      ++at;
    }
    if (!accept(",")) break;
  }
  return expect("}", "at the end of an initialiser");
}

bool Parser::parse_initial_element(Variable& variable, std::uint64_t element) {
  const unsigned bytes = bytes_of(variable.type);
  const std::uint64_t offset = element * bytes;
  if (offset + bytes > variable.size) return fail(fmt::format("'{}' has no room for an initial value.", variable.name));

  Constant value;
  bool masked = false;
  if (starts_constant()) {
    if (!parse_constant(value)) return false;
    if (!is("(")) {
      if (is_float(variable.type) && variable.type != Type::f32 && variable.type != Type::f64)
        return fail(fmt::format("a variable of type .{} cannot have an initial value; use .b{}.", name_of(variable.type), 8 * bytes));
      if (variable.type == Type::f32 && value.type == Type::f64)
        value.bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
      else if (variable.type == Type::f64 && value.type == Type::f32)
        value.bits =
            std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))));
      else if (is_float(variable.type) != is_float(value.type) && !(value.type == Type::f32 && bytes == 4) &&
               !(value.type == Type::f64 && bytes == 8))
        return fail(fmt::format("the initial value of '{}' does not fit its type .{}.", variable.name, name_of(variable.type)));
      for (unsigned byte = 0; byte < bytes && byte < 8; ++byte)
        variable.initial[offset + byte] = static_cast<std::byte>(value.bits >> (8 * byte) & 0xff);
      return true;
    }
    masked = true;  // 0xFF00(name): one byte of an address
    advance();
  }

  const bool generic = is("generic") && peek().is("(");
  if (generic) {
    advance();
    advance();
  }
  if (now_.kind != Token::Kind::word) return fail_unexpected("a number or a name");
  const std::optional<Symbol> symbol = find(now_.text);
  if (!symbol) return fail(fmt::format("there is no variable or function '{}'.", now_.text));
  const bool function = symbol->kind == Symbol::Kind::function;
  if (!function && (symbol->kind != Symbol::Kind::variable || symbol->variable.where != Operand::VariableRef::Where::module))
    return fail(fmt::format("'{}' has no address that is known before the launch.", now_.text));
  advance();
  if (generic && !expect(")", "after generic(…")) return false;
  std::int64_t addend = 0;
  if (is("+") || is("-")) {
    Constant added;
    if (!parse_constant(added)) return false;
    if (!is_integer(added.type)) return fail("an address can only be moved by a whole number of bytes.");
    addend = static_cast<std::int64_t>(added.bits);
  }
  if (masked) {
    if (!expect(")", "after a masked address")) return false;
    const int shift = value.bits != 0 ? std::countr_zero(value.bits) : -1;
    if (bytes != 1 || shift % 8 != 0 || value.bits >> shift != 0xff)
      return fail("a masked address must give one byte: 0xFF(name), 0xFF00(name) and so on.");
    masked_.push_back({offset, *symbol, addend, generic, static_cast<unsigned>(shift) / 8});
    return true;
  }
  if (bytes != 8 && bytes != 4) return fail(fmt::format("an address does not fit the type .{}.", name_of(variable.type)));
  Variable::Relocation relocation;
  relocation.offset = offset;
  relocation.function = function;
  relocation.index = function ? symbol->index : symbol->variable.index;
  relocation.addend = addend;
  relocation.generic = generic;
  relocation.bytes = static_cast<std::uint8_t>(bytes);
  variable.relocations.push_back(relocation);
  return true;
}

/// Eight masked bytes in a row are one stored address; anything else has no meaning that we know.
bool Parser::finish_masked(Variable& variable) {
  for (std::size_t at = 0; at < masked_.size(); at += 8) {
    for (std::size_t byte = 0; byte < 8; ++byte) {
      const Masked* const masked = at + byte < masked_.size() ? &masked_[at + byte] : nullptr;
      const Masked& first = masked_[at];
      const bool same = masked && masked->byte == byte && masked->offset == first.offset + byte && masked->addend == first.addend &&
                        masked->generic == first.generic && masked->symbol.kind == first.symbol.kind &&
                        masked->symbol.index == first.symbol.index && masked->symbol.variable == first.symbol.variable;
      if (!same) return fail(fmt::format("the masked addresses in '{}' are not eight bytes of one address.", variable.name));
    }
    Variable::Relocation relocation;
    relocation.offset = masked_[at].offset;
    relocation.function = masked_[at].symbol.kind == Symbol::Kind::function;
    relocation.index = relocation.function ? masked_[at].symbol.index : masked_[at].symbol.variable.index;
    relocation.addend = masked_[at].addend;
    relocation.generic = masked_[at].generic;
    variable.relocations.push_back(relocation);
  }
  std::sort(variable.relocations.begin(), variable.relocations.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return true;
}

}  // namespace warpbook::gpu::ptx
