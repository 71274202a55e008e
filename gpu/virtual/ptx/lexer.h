// Lexer: PTX text → tokens, one at a time, without copying.
//
//     Lexer lexer(text);
//     for (Token t = lexer.next(); t.kind != Token::Kind::end; t = lexer.next()) …
//
// A Lexer is a position in the text: copy it to look ahead. `text` must outlive the tokens. Comments and white space are dropped.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpbook::gpu::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,    // add  %r1  $L__BB0_2  _
    dotted,  // .global  .L1::evict_last  (with its dot)
    number,  // 42  0x2AU  0f3F800000  1.5e-3  .5
    string,  // "name", without the quotes
    symbol,  // one character, or << >> <= >= == != && ||
    bad      // a character that PTX has no use for, or a string or comment without its end
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint32_t line = 1;
  bool glued = false;  // no white space before it: "add" and ".s32" of one opcode

  [[nodiscard]] bool is(std::string_view wanted) const {
    return (kind == Kind::symbol || kind == Kind::dotted || kind == Kind::word) && text == wanted;
  }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  [[nodiscard]] Token next();

 private:
  /// False: a comment without its end.
  [[nodiscard]] bool skip_blanks();
  [[nodiscard]] bool is_line_marker() const;
  [[nodiscard]] Token take(Token::Kind kind, std::size_t length, bool glued);

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace warpbook::gpu::ptx
