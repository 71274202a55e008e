// Shown text: makes untrusted text safe to display: output of kernels, sources, compiler messages, file names. The result cannot
// move a terminal's cursor or reverse the direction of letters, and no name is so long that it hides the rest of a sentence.
//
//     without_controls("\x1b[2Jdone") == "\\x1b[2Jdone"
//     cut("a_very_long_name", 8)      == "a_very_…"
//     print_err("{}\n", in_sentences(error.message));
//
// Only for display. Output for programs (.npy files, JSON) keeps its bytes; JSON has its own escapes.
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

struct Message;  // message.h

inline constexpr std::size_t longest_sentence = 400;  // characters
inline constexpr std::size_t longest_word = 160;      // characters without a blank

/// Replaces invisible characters by escapes: `\x1b` for a control byte, `\u202e` for a control character beyond ASCII (which may
/// change the direction of letters), `\xff` for a byte that is not valid UTF-8. Newlines and tabs stay, and so does a `\r` before a
/// newline.
[[nodiscard]] std::string without_controls(std::string_view text);

/// Counts UTF-8 characters. An invalid byte counts as one.
[[nodiscard]] std::size_t characters_in(std::string_view text);

/// At most `most` characters. If something is left out, the last one is "…".
[[nodiscard]] std::string cut(std::string_view text, std::size_t most);

/// "a, b, c and 97 more": the first names of a list, each cut to 60 characters.
[[nodiscard]] std::string listed(const std::vector<std::string>& all, std::size_t most = 6, std::string_view between = ", ");

/// A message without control characters, words longer than longest_word or sentences longer than longest_sentence. Long ones are
/// cut in the middle, because their end says what to do next.
[[nodiscard]] std::string in_sentences(std::string_view message);

/// Applies in_sentences() to all messages of a report or a failure. Devices and the compiler do this before they return one. The
/// kernel's output (LaunchReport::output) stays as it is.
void put_in_sentences(gpu::LaunchReport& report);
void put_in_sentences(Message& message);  // to its values
void put_in_sentences(gpu::CompileFailure& failure);

/// A source line for display, without control characters and cut to about 160 characters. Of a longer line, the part around
/// `column` is kept (a byte position from 1; 0: none).
struct ShownLine {
  std::string text;
  std::string before_caret;  // the indentation of a caret below the column; empty without a column
};
[[nodiscard]] ShownLine shown_line(std::string_view line, std::size_t column);

/// The length in bytes of the UTF-8 character at the start of `text`, which must not be empty. 0: it is not valid UTF-8.
[[nodiscard]] std::size_t character_at(std::string_view text);

}  // namespace warpbook
