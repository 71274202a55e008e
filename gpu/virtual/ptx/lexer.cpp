#include "gpu/virtual/ptx/lexer.h"

namespace warpbook::gpu::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool starts_name(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
bool continues_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

}  // namespace

bool Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0') {
      ++at_;  // NVRTC ends its text with a zero byte
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == text_.npos ? text_.size() : end;
    } else if (c == '#' && is_line_marker()) {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == text_.npos ? text_.size() : end;
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == text_.npos) return false;
      for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
    } else {
      break;
    }
  }
  return true;
}

/// `# 12 "file"` or `#line 12`, as preprocessors leave them.
bool Lexer::is_line_marker() const {
  const std::size_t line = text_.find_last_of('\n', at_);
  if (text_.substr(line + 1, at_ - line - 1).find_first_not_of(" \t") != text_.npos) return false;
  std::string_view rest = text_.substr(at_ + 1, 80);
  if (rest.starts_with("line")) rest.remove_prefix(4);
  const std::size_t first = rest.find_first_not_of(" \t");
  return first != rest.npos && is_digit(rest[first]);
}

Token Lexer::take(Token::Kind kind, std::size_t length, bool glued) {
  const Token token{kind, text_.substr(at_, length), line_, glued};
  at_ += token.text.size();
  return token;
}

Token Lexer::next() {
  const std::size_t before = at_;
  if (!skip_blanks()) {
    const Token token = take(Token::Kind::bad, 2, false);
    at_ = text_.size();
    return token;
  }
  const bool glued = at_ == before;
  if (at_ == text_.size()) return {Token::Kind::end, {}, line_, false};

  const auto peek = [&](std::size_t offset) { return at_ + offset < text_.size() ? text_[at_ + offset] : '\0'; };
  const char c = text_[at_];
  std::size_t length = 1;

  if (starts_name(c) && (c != '%' || continues_name(peek(1)))) {  // a lone '%' is the remainder
    while (continues_name(peek(length))) ++length;
    return take(Token::Kind::word, length, glued);
  }
  const bool behind_a_name = at_ > 0 && continues_name(text_[at_ - 1]);
  if (c == '.' && continues_name(peek(1)) && (behind_a_name || !is_digit(peek(1)))) {  // "tex.2d" too
    while (continues_name(peek(length)) || (peek(length) == ':' && peek(length + 1) == ':')) length += peek(length) == ':' ? 2 : 1;
    return take(Token::Kind::dotted, length, glued);
  }
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    const char prefix = peek(1);
    const bool decimal = c != '0' || !is_letter(prefix) || prefix == 'U' || prefix == 'e' || prefix == 'E';
    while (is_digit(peek(length)) || is_letter(peek(length)) ||
           (decimal && c != '.' && peek(length) == '.' && !starts_name(peek(length + 1))) ||
           (decimal && (peek(length) == '+' || peek(length) == '-') && (peek(length - 1) == 'e' || peek(length - 1) == 'E')))
      ++length;
    return take(Token::Kind::number, length, glued);
  }
  if (c == '"') {
    const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
    if (end == text_.npos || text_[end] == '\n') return take(Token::Kind::bad, 1, glued);
    const Token token{Token::Kind::string, text_.substr(at_ + 1, end - at_ - 1), line_, glued};
    at_ = end + 1;
    return token;
  }
  static constexpr std::string_view pairs[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  for (const std::string_view pair : pairs)
    if (text_.substr(at_, 2) == pair) return take(Token::Kind::symbol, 2, glued);
  static constexpr std::string_view symbols = "{}[]()<>,;:|!@+-*/%=~&^?";
  return take(symbols.find(c) == symbols.npos ? Token::Kind::bad : Token::Kind::symbol, 1, glued);
}

}  // namespace warpbook::gpu::ptx
