#include "app/text/editor_lines.h"

#include <algorithm>
#include <cctype>

#include "app/text/highlight_cache.h"

namespace warpbook::app {
namespace {

using Position = EditorText::Position;

bool in_code(const std::vector<CodeSpan>& spans, std::size_t byte) {
  return std::none_of(spans.begin(), spans.end(), [&](const CodeSpan& span) {
    return (span.kind == CodeKind::comment || span.kind == CodeKind::string) && span.begin <= byte && byte < span.end;
  });
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

constexpr std::string_view opening = "([{", closing = ")]}";

}  // namespace

void EditorLines::follow(const EditorText& now, const std::string& shipped, const Defines& defines, CodeLanguage language) {
  const bool same_text = revision_ == now.revision() && of_ == &now;
  if (same_text && defines_ == defines) return;
  ++made;
  code_counters().scanned += now.lines().size();
  const auto& lines = now.lines();
  if (!same_text) {
    text = now.str();
    spans = highlight(lines, language);
    edited = edited_lines(lines, EditorText(shipped).lines());
    widest = static_cast<std::size_t>(
        std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); }) -
        lines.begin());
  }
  inactive = language == CodeLanguage::cuda ? inactive_lines(lines, defines) : std::vector<bool>(lines.size());
  revision_ = now.revision();
  of_ = &now;
  defines_ = defines;
}

const std::vector<Match>& EditorLines::matches(const EditorText& now, std::string_view words) {
  if (searched_ == now.revision() && words_ == words) return matches_;
  code_counters().scanned += words.empty() ? 0 : now.lines().size();
  matches_ = find_all(now.lines(), words);
  words_ = words;
  searched_ = now.revision();
  return matches_;
}

std::vector<Match> find_all(const std::vector<std::string>& lines, std::string_view words) {
  std::vector<Match> matches;
  if (words.empty()) return matches;
  const bool exact =
      std::any_of(words.begin(), words.end(), [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; });
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::string& text = lines[line];
    for (auto at = text.begin();;) {
      at = std::search(at, text.end(), words.begin(), words.end(), [&](char a, char b) { return exact ? a == b : lower(a) == b; });
      if (at == text.end()) break;
      const auto byte = static_cast<std::size_t>(at - text.begin());
      matches.push_back({{line, byte}, {line, byte + words.size()}});
      at += static_cast<std::ptrdiff_t>(words.size());
    }
  }
  return matches;
}

std::size_t next_match(const std::vector<Match>& matches, Position from, int direction) {
  const auto at =
      std::lower_bound(matches.begin(), matches.end(), from, [](const Match& match, Position p) { return match.begin < p; });
  if (direction > 0) return at == matches.end() ? 0 : static_cast<std::size_t>(at - matches.begin());
  return at == matches.begin() ? matches.size() - 1 : static_cast<std::size_t>(at - matches.begin()) - 1;
}

std::optional<std::pair<Position, Position>> matching_brackets(const std::vector<std::string>& lines,
                                                               const std::vector<std::vector<CodeSpan>>& spans, Position caret) {
  const auto is_bracket = [&](std::size_t byte) {
    const std::string& text = lines[caret.line];
    return byte < text.size() && std::string_view("()[]{}").find(text[byte]) != std::string_view::npos &&
           in_code(spans[caret.line], byte);
  };
  std::size_t byte = caret.byte;
  if (!is_bracket(byte)) {
    if (byte == 0 || !is_bracket(byte - 1)) return std::nullopt;
    --byte;
  }
  const Position start{caret.line, byte};
  const char bracket = lines[start.line][start.byte];
  const bool forward = opening.find(bracket) != std::string_view::npos;
  const char partner = forward ? closing[opening.find(bracket)] : opening[closing.find(bracket)];
  int depth = 0;
  Position at = start;
  while (true) {
    const char c = at.byte < lines[at.line].size() ? lines[at.line][at.byte] : '\0';
    if ((c == bracket || c == partner) && in_code(spans[at.line], at.byte)) {
      depth += c == bracket ? 1 : -1;
      if (depth == 0) return std::pair{start, at};
    }
    if (forward) {
      if (++at.byte >= lines[at.line].size()) {
        do {
          if (++at.line == lines.size()) return std::nullopt;
        } while (lines[at.line].empty());
        at.byte = 0;
      }
    } else if (at.byte > 0) {
      --at.byte;
    } else {
      do {
        if (at.line-- == 0) return std::nullopt;
      } while (lines[at.line].empty());
      at.byte = lines[at.line].size() - 1;
    }
  }
}

std::vector<bool> edited_lines(const std::vector<std::string>& now, const std::vector<std::string>& before) {
  std::vector<bool> edited(now.size(), false);
  std::size_t head = 0, tail = 0;
  const std::size_t shared = std::min(now.size(), before.size());
  while (head < shared && now[head] == before[head]) ++head;
  while (tail < shared - head && now[now.size() - 1 - tail] == before[before.size() - 1 - tail]) ++tail;
  // Between the first and the last difference a line that was there before, in the same order, is not new.
  std::size_t from = head;
  for (std::size_t line = head; line + tail < now.size(); ++line) {
    const auto end = before.end() - static_cast<std::ptrdiff_t>(tail);
    const auto found = std::find(before.begin() + static_cast<std::ptrdiff_t>(from), end, now[line]);
    if (found == end || now[line].empty())
      edited[line] = found == end;
    else
      from = static_cast<std::size_t>(found - before.begin()) + 1;
  }
  return edited;
}

}  // namespace warpbook::app
