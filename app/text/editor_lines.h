// EditorLines: what the editor draws a text by, made once for each of its revisions: colours, dimmed and edited lines, widths.
// And what it looks for in a text: matches, brackets. Pure, but for the widths.
//
//     state.editor_lines.follow(state.text, shipped, macros);      // nothing is done while all three are the same
//     for (const CodeSpan& span : state.editor_lines.spans[7]) …
//     for (const Match& match : state.editor_lines.matches(state.text, "threadIdx")) …
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/text/editor_text.h"
#include "app/text/highlight.h"

namespace warpbook::app {

/// Where words stand, each from its first byte to behind its last.
struct Match {
  EditorText::Position begin, end;
};

struct EditorLines {
  std::vector<std::vector<CodeSpan>> spans;
  std::vector<bool> inactive, edited;
  std::string text;        // the whole of it
  std::size_t widest = 0;  // the line with the most bytes
  std::uint64_t made = 0;  // how often all this was made

  void follow(const EditorText& now, const std::string& shipped, const Defines& defines,
              CodeLanguage language = CodeLanguage::cuda);
  /// The words' places in the text; searched for again only when one of the two has changed.
  const std::vector<Match>& matches(const EditorText& now, std::string_view words);

 private:
  std::vector<Match> matches_;
  std::string words_;
  std::optional<std::uint64_t> searched_;
  std::optional<std::uint64_t> revision_;
  const EditorText* of_ = nullptr;
  Defines defines_;
};

/// Small and capital letters are the same unless the words have a capital. Matches do not span lines, nor overlap.
[[nodiscard]] std::vector<Match> find_all(const std::vector<std::string>& lines, std::string_view words);
/// The match to go to from here: +1 the first that begins at or after it, −1 the last before it; around the ends. Matches not
/// empty.
[[nodiscard]] std::size_t next_match(const std::vector<Match>& matches, EditorText::Position from, int direction);

/// The bracket at the caret, or before it, and its partner; brackets in comments and strings are none.
[[nodiscard]] std::optional<std::pair<EditorText::Position, EditorText::Position>> matching_brackets(
    const std::vector<std::string>& lines, const std::vector<std::vector<CodeSpan>>& spans, EditorText::Position caret);

/// For each line of `now`, whether it differs from what came with the lesson.
[[nodiscard]] std::vector<bool> edited_lines(const std::vector<std::string>& now, const std::vector<std::string>& before);

}  // namespace warpbook::app
