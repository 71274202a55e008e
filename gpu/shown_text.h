// Text from strangers as it may be shown: what a kernel prints, a source, a compiler's words, the name of a file. Nothing in it
// moves a terminal's cursor or turns letters round, and no name in it is so long that the sentence around it is lost.
//
//     without_controls("\x1b[2Jdone") == "\\x1b[2Jdone"
//     cut("a_very_long_name", 8)      == "a_very_…"
//     print_err("{}\n", in_sentences(error.message));
//
// What goes into a file or a pipe for a program (.npy, JSON) is not shown: there the bytes stay (JSON has escapes of its own).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::gpu {
struct CompileFailure;  // compiler.h
struct LaunchReport;    // report.h
}  // namespace warpbook::gpu

namespace warpbook {

inline constexpr std::size_t longest_sentence = 400;  // characters
inline constexpr std::size_t longest_word = 160;      // characters without a blank between them

/// With escapes for what is no visible character: `\x1b` for a control byte, `\u202e` for a control character beyond ASCII (one
/// that turns the direction of letters), `\xff` for a byte that is no UTF-8. Newlines and tabs stay, and so does a `\r` before a
/// newline.
[[nodiscard]] std::string without_controls(std::string_view text);

/// Characters of UTF-8; a byte that is none counts as one.
[[nodiscard]] std::size_t characters_in(std::string_view text);

/// At most `most` characters, the last of them "…" where something is left out.
[[nodiscard]] std::string cut(std::string_view text, std::size_t most);

/// "a, b, c and 97 more": the first few of a list, each cut to 60 characters.
[[nodiscard]] std::string listed(const std::vector<std::string>& all, std::size_t most = 6, std::string_view between = ", ");

/// A message for a reader: without controls, no word of more than longest_word characters and no sentence of more than
/// longest_sentence, which are cut in their middle, so that what they begin with and what they end with (what to do next) is kept.
[[nodiscard]] std::string in_sentences(std::string_view message);

/// The same for all that these say. A device and the compiler do so with each of theirs before they hand it out; what a kernel
/// printed (LaunchReport::output) stays as it is.
void put_in_sentences(gpu::LaunchReport& report);
void put_in_sentences(gpu::CompileFailure& failure);

/// A line of a source, without controls and no longer than about 160 characters: of a longer one, what stands around `column` (from
/// 1, in bytes; 0: none).
struct ShownLine {
  std::string text;
  std::string before_caret;  // blanks and tabs that bring a caret below the column; empty without a column
};
[[nodiscard]] ShownLine shown_line(std::string_view line, std::size_t column);

/// Its length where a character of UTF-8 begins `text` (which is not empty); 0 where its first byte begins none.
[[nodiscard]] std::size_t character_at(std::string_view text);

}  // namespace warpbook
